package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The live page as it is, and in a headless Chromium where one is installed. */
@SuppressWarnings("NullAway.Init")
@Tag("exhaustive")
final class LivePageTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir private Path folder;

  /** The document when its script has run for a while, and what the browser logged. */
  private record Seen(String document, String log) {}

  private static Path chromium() {
    Path found =
        Stream.of("chromium", "chromium-browser", "google-chrome")
            .map(name -> Path.of("/usr/bin", name))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(Path.of(""));
    assumeTrue(!found.toString().isEmpty(), "no Chromium is installed");
    return found;
  }

  private Seen open(WebServer server, String... options) throws Exception {
    Path document = folder.resolve("document.html");
    Path log = folder.resolve("log.txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                chromium().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + folder.resolve("profile"),
                "--enable-logging=stderr",
                "--virtual-time-budget=5000",
                "--dump-dom"));
    command.addAll(List.of(options));
    command.add("http://127.0.0.1:" + server.port() + "/");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(document.toFile())
            .redirectError(log.toFile())
            .start();
    assertThat(process.waitFor()).isZero();
    return new Seen(read(document), read(log));
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1280,900", "360,740"})
  void showsRowsAndLinesAndLogsNothing(String size) throws Exception {
    Workload trees = Objects.requireNonNull(Workloads.find("binary-trees"));
    Parameters parameters = Parameters.of(trees, Map.of("depth", "8"));
    List<String> collectors = List.of("hybrid", "marksweep");
    try (LiveCollectors live =
            new LiveCollectors(
                collectors.stream()
                    .map(name ->
                        Gleaner.factory(
                            ConfigFactory.parseString(
                                "gleaner { collector = " + name + ", memory.max = 64MiB }")))
                    .toList(),
                trees,
                parameters,
                error -> {});
        WebServer server = new WebServer(ANY, live.pages(trees, parameters))) {
      live.start();
      Seen seen = open(server, "--window-size=" + size);
      assertThat(seen.log()).doesNotContain("CONSOLE");
      assertThat(seen.document())
          .contains("<title>Gleaner: binary-trees</title>")
          .contains("<span id=\"workload\">binary-trees:depth=8</span>")
          .contains("role=\"status\">Live</p>");
      for (String collector : collectors) {
        assertThat(seen.document())
            .containsPattern(
                "<th scope=\"row\">" + collector + "</th><td hidden=\"\">–</td><td>[0-9.]+</td>");
      }
      assertThat(seen.document().split("class=\"series s[12]\"", -1))
          .as("two keys, and two lines in each of four charts")
          .hasSize(1 + 2 + 2 * 4);
      assertThat(seen.document())
          .containsPattern("<desc id=\"d-memory\">hybrid [0-9.]+, marksweep [0-9.]+</desc>")
          .as("the limit, far above or as a line")
          .containsPattern(">limit( 64 MiB ↑)?</text>");
    }
  }

  /** Else the test above could not fail. */
  @Test
  void theBrowserTellsWhatAPageLogs() throws Exception {
    WebServer.Page broken =
        new WebServer.Page() {
          @Override
          public String contentType() {
            return "text/html; charset=utf-8";
          }

          @Override
          public String text() {
            return "<!DOCTYPE html><title>x</title><script>let x = 1</script>"; // not allowed
          }
        };
    try (WebServer server = new WebServer(ANY, Map.of("/", broken))) {
      assertThat(open(server).log()).contains("CONSOLE").contains("Content Security Policy");
    }
  }

  @Test
  void isSelfContainedAndSaysWhatItIsFor() {
    String page = LivePage.load().text();
    assertThat(page)
        .startsWith("<!DOCTYPE html>")
        .contains("<html lang=\"en\">", "name=\"viewport\"", "color-scheme: light dark")
        .contains("role=\"status\"", "aria-pressed", "<caption", "scope=\"col\"", ":focus-visible")
        .doesNotContainPattern("src=\"|@import|url\\(|innerHTML| style=\"| onclick=\"");
    assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http:", "https:");
  }
}
