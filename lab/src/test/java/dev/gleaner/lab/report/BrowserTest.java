package dev.gleaner.lab.report;

import static dev.gleaner.lab.report.Reports.comparison;
import static dev.gleaner.lab.report.Reports.failed;
import static dev.gleaner.lab.report.Reports.row;
import static dev.gleaner.lab.report.Reports.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The report in a browser: what is laid out, at the width of a desktop and of a phone. A script
 * that measures is put into the copy of the test alone; the page is in a frame of that width,
 * because a window cannot be as narrow as a phone.
 */
@Tag("exhaustive")
class BrowserTest {
  private static final String MEASURE =
      """
      <script>
        const shown = e => e.getBoundingClientRect().width > 0;
        const overlaps = [];
        for (const svg of [...document.querySelectorAll('svg.chart')].filter(shown)) {
          const texts = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]);
          for (const [a, p] of texts) {
            for (const [b, q] of texts) {
              if (a !== b && p.left < q.right - 1 && q.left < p.right - 1
                  && p.top < q.bottom - 4 && q.top < p.bottom - 4) {
                overlaps.push(a.textContent + ' / ' + b.textContent);
              }
            }
          }
        }
        const skip = document.querySelector('.skip');
        const hidden = skip.getBoundingClientRect().right < 0;
        skip.focus();
        const texts = [...document.querySelectorAll('svg.chart text')].filter(shown);
        const measured = {
          width: document.documentElement.scrollWidth,
          inner: innerWidth,
          wide: [...document.querySelectorAll('svg.chart.wide')].filter(shown).length,
          half: [...document.querySelectorAll('svg.chart.half')].filter(shown).length,
          narrow: [...document.querySelectorAll('svg.chart.narrow')].filter(shown).length,
          chart: [...document.querySelectorAll('svg.chart')].find(shown).clientWidth,
          column: document.querySelector('main').clientWidth,
          smallest: Math.min(...texts.map(t => t.getBoundingClientRect().height)),
          outside: texts.filter(t => t.getBoundingClientRect().left < 0
              || t.getBoundingClientRect().right > innerWidth).map(t => t.textContent),
          scrolled: [...document.querySelectorAll('.scroll')]
              .some(e => e.scrollWidth > e.clientWidth),
          marks: document.querySelectorAll('svg.chart.wide .mark').length,
          rows: document.querySelectorAll('#w1 tbody tr').length,
          skip: hidden && skip.getBoundingClientRect().left >= 0,
          dark: getComputedStyle(document.body).backgroundColor,
          overlaps: overlaps
        };
        parent.postMessage(JSON.stringify(measured), '*');
      </script>
      """;

  @TempDir private Path folder;
  private @Nullable Chromium chromium;

  @BeforeEach
  void findBrowser() {
    chromium = Chromium.installed();
    assumeTrue(
        chromium != null,
        "no chromium, chromium-browser or google-chrome on the PATH: apt-get install chromium");
  }

  private static String report() {
    RunResult run = run(0.8, 20, 7);
    return Reports.html(
        comparison(
            "churn",
            row("hybrid", run, run(0.7, 20, 9)),
            row("marksweep", run(0.79, 43.8, 111), run(0.81, 43.8, 111)),
            row("refcount", run(0.75, 20, 7), failed("leaked", run)),
            row("semispace", run(0.44, 32, 28), failed("out-of-memory", run)),
            row("jvm", run(0.1, 487, 0), run(0.11, 487, 2))),
        comparison(
            "a <workload> & its \"name\"",
            row("a-collector-with-a-rather-long-name-from-elsewhere", run, run),
            row("<i>", run(0.81, 20.1, 5))),
        comparison("nothing", row("hybrid", RunResult.failed("the worker ended & \"why\""))));
  }

  private Chromium.Page open(Path file, String... options) throws Exception {
    return Objects.requireNonNull(chromium).open(file, options);
  }

  private JsonNode measure(int width, String... options) throws Exception {
    String measuring = report().replace("</body>", MEASURE + "</body>");
    Files.writeString(folder.resolve("report.html"), measuring);
    Path frame = Files.writeString(folder.resolve("frame.html"), frame(width));
    Chromium.Page page = open(frame, options);
    assertThat(page.console()).isEmpty();
    return measured(page);
  }

  private static String frame(int width) {
    return """
    <!doctype html>
    <script>
      onmessage = m => document.getElementById('measured').textContent = btoa(m.data);
    </script>
    <body style="margin:0">
    <pre id="measured"></pre>
    <iframe src="report.html" style="border:0;width:%dpx;height:4000px"></iframe>
    """
        .formatted(width);
  }

  private static JsonNode measured(Chromium.Page page) throws IOException {
    Matcher text = Pattern.compile("<pre id=\"measured\">([^<]+)</pre>").matcher(page.dom());
    assertThat(text.find()).as(page.dom()).isTrue();
    byte[] json = java.util.Base64.getDecoder().decode(text.group(1));
    return new ObjectMapper().readTree(json);
  }

  @Test
  void opensFromDiskAsItIs() throws Exception {
    Path file = Files.writeString(folder.resolve("report.html"), report());
    Chromium.Page page = open(file);
    assertThat(page.console()).isEmpty();
    assertThat(page.dom())
        .contains(
            "<title>3 workloads under hybrid, marksweep,",
            "id=\"w1-memory-chart\"",
            "id=\"w1-memory-chart-2\"",
            "id=\"w1-pauses-chart\"",
            "id=\"w1-trade-chart\"",
            "id=\"w2-heading\">a &lt;workload&gt; &amp; its \"name\"</h2>",
            "<th scope=\"row\">&lt;i&gt;</th>",
            "leaked (1 of 2)",
            "Nothing was recorded");
  }

  @Test
  void faultsWouldBeSeen() throws Exception {
    Path file = Files.writeString(folder.resolve("bad.html"), "<script>nothing.there()</script>");
    assertThat(open(file).console()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {360, 896, 897, 1200, 1201, 1280})
  void fitsItsWindow(int width) throws Exception {
    JsonNode measured = measure(width);
    assertThat(measured.get("inner").intValue()).isEqualTo(width);
    assertThat(measured.get("width").intValue()).isLessThanOrEqualTo(width);
    int charts = 9;
    assertThat(measured.get("narrow").intValue()).isEqualTo(width > 896 ? 0 : charts);
    assertThat(measured.get("half").intValue())
        .isEqualTo(width > 896 && width <= 1200 ? charts : 0);
    assertThat(measured.get("wide").intValue()).isEqualTo(width > 1200 ? charts : 0);
    if (width > 896) {
      assertThat(measured.get("chart").intValue()).isEqualTo(measured.get("column").intValue());
    }
    assertThat(measured.get("outside")).isEmpty();
    assertThat(measured.get("smallest").doubleValue()).isGreaterThan(10);
    assertThat(measured.get("overlaps")).isEmpty();
    assertThat(measured.get("scrolled").booleanValue()).isTrue();
    assertThat(measured.get("marks").intValue()).isGreaterThan(50);
    assertThat(measured.get("rows").intValue()).isGreaterThan(20);
    assertThat(measured.get("skip").booleanValue()).isTrue();
  }

  @Test
  void isDarkForThoseWhoWantItSo() throws Exception {
    assertThat(measure(800).get("dark").textValue()).isEqualTo("rgb(255, 255, 255)");
    String dark = measure(800, "--blink-settings=preferredColorScheme=0").get("dark").textValue();
    assertThat(dark).isEqualTo("rgb(22, 25, 29)");
  }
}
