package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init")
final class WebServerTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private WebServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws IOException {
    client = HttpClient.newHttpClient();
    server =
        new WebServer(
            ANY,
            Map.of(
                "/", LivePage.load(),
                "/text", WebServer.Page.of("text/plain; charset=utf-8", () -> "grün"),
                "/broken",
                    WebServer.Page.of(
                        "text/plain",
                        () -> {
                          throw new IllegalStateException("no figures");
                        })));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, BodyPublishers.noBody())
            .build();
    return client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  /** Sends these bytes and returns the first line of the answer. */
  private String sendRaw(String request) throws IOException {
    try (Socket socket = new Socket(ANY.getAddress(), server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      return answer.lines().findFirst().orElse("");
    }
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void servesPages() throws Exception {
    HttpResponse<String> response = send("GET", "/text?x=1");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("grün");
    assertThat(header(response, "Content-Type")).isEqualTo("text/plain; charset=utf-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/text", "/broken", "/nowhere"})
  void storesNothingAndAllowsNothingFromElsewhere(String path) throws Exception {
    HttpResponse<String> response = send("GET", path);
    assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(response, "Content-Security-Policy"))
        .startsWith("default-src 'none'")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe", "*");
  }

  @Test
  void answersHeadAsGetWithoutTheBody() throws Exception {
    HttpResponse<String> response = send("HEAD", "/text");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
    assertThat(header(response, "Content-Length")).isEqualTo("5");
    assertThat(send("HEAD", "/nowhere").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nowhere", "/text/", "/text/more", "/%2e%2e/text"})
  void saysWhatThereIs(String path) throws Exception {
    HttpResponse<String> response = send("GET", path);
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).isEqualTo("there are /, /broken, /text\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "GE", "get"})
  void refusesOtherMethods(String method) throws Exception {
    HttpResponse<String> response = send(method, "/text");
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "Allow")).isEqualTo("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /text HTTP/1.1\r\n\r\n",
        "GET /text HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
      })
  void refusesWhatIsNoRequest(String request) throws IOException {
    assertThat(sendRaw(request)).startsWith("HTTP/1.1 400 ");
    assertThat(sendRaw("GET /text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .isEqualTo("HTTP/1.1 200 OK");
  }

  private String answerFor(String target, String host) throws IOException {
    return sendRaw(
        "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(target, host));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:8642",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.255.3.4",
        "[::1]",
        "[::1]:65535",
        "localhost:"
      })
  void answersForLoopback(String host) throws IOException {
    assertThat(answerFor("/text", host)).isEqualTo("HTTP/1.1 200 OK");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8642",
        "127.0.0.256",
        "127.1",
        "128.0.0.1",
        "0.0.0.0",
        "[::2]",
        "[::1",
        "::1",
        "localhost:x",
        ""
      })
  void answersForNoOtherHost(String host) throws IOException {
    assertThat(answerFor("/text", host)).startsWith("HTTP/1.1 421 ");
    assertThat(answerFor("/nowhere", host)).startsWith("HTTP/1.1 421 ");
  }

  @Test
  void answersForNoOtherHostInTheTarget() throws IOException {
    assertThat(answerFor("http://evil.example/text", "localhost")).startsWith("HTTP/1.1 421 ");
    assertThat(answerFor("http://localhost/text", "localhost")).isEqualTo("HTTP/1.1 200 OK");
    assertThat(sendRaw("GET /text HTTP/1.0\r\nHost: evil.example\r\n\r\n"))
        .startsWith("HTTP/1.1 421 ");
  }

  @Test
  void answersForTheNameThatItListensAtAndElsewhereForAny() throws Exception {
    byte[] loopback = {127, 0, 1, 1};
    InetAddress named = InetAddress.getByAddress("here.example", loopback);
    assertThat(WebServer.hosts(new InetSocketAddress(named, 1)))
        .accepts("here.example:1", "localhost")
        .rejects("there.example", "hereXexample");
    byte[] outside = {(byte) 192, 0, 2, 1};
    InetAddress reachable = InetAddress.getByAddress(outside);
    assertThat(WebServer.hosts(new InetSocketAddress(reachable, 1))).accepts("any.example");
  }

  @Test
  void saysWhatFailed() throws Exception {
    HttpResponse<String> response = send("GET", "/broken");
    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).contains("no figures");
  }

  @Test
  void takesAPortOfItsOwnAndGivesItBack() throws Exception {
    InetSocketAddress taken = new InetSocketAddress(ANY.getAddress(), server.port());
    assertThatThrownBy(() -> new WebServer(taken, Map.of()).close())
        .isInstanceOf(BindException.class);
    server.close();
    new WebServer(taken, Map.of()).close();
  }
}
