package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Tier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ServeCommandTest {
  static List<String> signals() {
    return List.of(Tier.exhaustive() ? "INT" : "TERM");
  }

  @ParameterizedTest
  @MethodSource("signals")
  @Tag("seeds")
  void servesUntilASignalAndEndsWell(String signal) throws Exception {
    try (Serving serving =
            new Serving(
                "--collector", "hybrid,semispace", "--workload", "churn:slots=100,n=10000");
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(serving.url).matches("http://127\\.0\\.0\\.1:[0-9]+/");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(serving.url + "metrics")).GET().build();
      String metrics = client.send(request, BodyHandlers.ofString()).body();
      assertThat(metrics)
          .contains("gleaner_workload_run_seconds_count{collector=\"hybrid\",outcome=\"done\"")
          .contains("workload=\"churn\"");
      Forked.signal(signal, serving.process);
      assertThat(serving.status()).isZero();
      assertThat(serving.out.readLine()).isEqualTo("churn under hybrid, semispace");
      assertThat(serving.out.readLine()).isNull();
    }
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String port = Integer.toString(taken.getLocalPort());
      Result result = Result.of("serve", "--port", port, "--collector", "marksweep");
      assertThat(result.status()).isEqualTo(2);
      assertThat(result.out()).isEmpty();
      assertThat(result.err())
          .startsWith("gleaner: --port " + port + ": cannot listen at 127.0.0.1: ")
          .hasLineCount(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "serve --port 65536 | --port 65536: from 0 to 65535",
        "serve --port -1 | --port -1: from 0 to 65535",
        "serve --port x | --port",
        "serve --host no.such.host.invalid | --host no.such.host.invalid: no such host",
        "serve --host 192.0.2.1 --port 0 | cannot listen at 192.0.2.1",
        "serve --workload gcbnch | (gcbench?)",
        "serve --collector markswep | (marksweep?)",
        "serve --max-memory much | --max-memory: 1: gleaner.memory.max",
        "serve --workload tenants:heap=3 | (heaps?)",
      })
  void aWrongRequestSaysWhatWouldBeRight(String arguments, String message) {
    Result result = Result.of(arguments.split(" "));
    assertThat(result.err()).startsWith("gleaner: ").contains(message);
    assertThat(result.out()).isEmpty();
    assertThat(result.status()).isEqualTo(2);
  }
}
