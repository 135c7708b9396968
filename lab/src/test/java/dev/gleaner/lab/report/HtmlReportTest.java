package dev.gleaner.lab.report;

import static dev.gleaner.lab.report.Reports.comparison;
import static dev.gleaner.lab.report.Reports.failed;
import static dev.gleaner.lab.report.Reports.html;
import static dev.gleaner.lab.report.Reports.row;
import static dev.gleaner.lab.report.Reports.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.Row;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
  private static final Comparison TWO =
      comparison(
          "churn",
          row("hybrid", run(0.8, 20, 7), run(0.7, 20, 7)),
          row("semispace", run(0.4, 32, 28), run(0.5, 32, 28)));

  @Test
  void saysWhatTheChartsShow() {
    String html = html(TWO);
    assertThat(html)
        .startsWith("<!doctype html>\n<html lang=\"en\">")
        .contains(
            "<meta name=\"viewport\"",
            "<a class=\"skip\" href=\"#results\">",
            "<main id=\"results\"",
            "<time datetime=\"2026-03-04T05:06:07Z\">4 March 2026, 05:06 UTC</time>",
            "<dt>Seed</dt><dd>42</dd>",
            "<dt>Checksum</dt><dd>5</dd>",
            "<dt>Parameter slots</dt><dd>1_000</dd>",
            "semispace peaked at 32\u00a0MiB, the most; hybrid at 20\u00a0MiB, the least.",
            "semispace paused for up to 78.4\u00a0ms, the longest; hybrid for up to 4.90\u00a0ms,",
            "hybrid took 700\u00a0ms, the longest; semispace took 400\u00a0ms, the shortest.",
            "in as little memory: hybrid and semispace.",
            "gleaner.memory.max = 64m  # --max-memory; default 1GiB",
            "-Dx=&lt;y&gt;");
  }

  @Test
  void aSeedThatIsAParameterIsSaidOnce() {
    Row row = row("hybrid", run(1, 5, 2));
    assertThat(html(new Comparison("dump", Map.of("seed", "7"), Reports.MACHINE, List.of(row))))
        .contains("<dt>Parameter seed</dt><dd>7</dd>")
        .doesNotContain("<dt>Seed</dt>");
  }

  @Test
  void nothingIsFetched() {
    String html = html(TWO);
    assertThat(html).doesNotContain("<script", "<link", "<img", "@import", "url(", "http");
    for (MatchResult reference :
        Pattern.compile("(?:href|src)=\"([^\"]*)\"").matcher(html).results().toList()) {
      assertThat(reference.group(1)).startsWith("#");
    }
  }

  @Test
  void idsAreUniqueAndReferencesLead() {
    String html = html(TWO, comparison("graph", row("hybrid", run(1, 5, 2))));
    List<String> ids = found(html, " id=\"([^\"]*)\"");
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(ids).containsAll(found(html, "href=\"#([^\"]*)\""));
    for (String labels : found(html, "aria-labelledby=\"([^\"]*)\"")) {
      assertThat(ids).containsAll(List.of(labels.split(" ")));
    }
    assertThat(html).contains("2 workloads under hybrid and semispace", "graph:slots=1_000");
  }

  private static List<String> found(String html, String pattern) {
    return Pattern.compile(pattern).matcher(html).results().map(m -> m.group(1)).toList();
  }

  @Test
  void namesAreEscaped() {
    String bad = "<b>\"x\" & 'y'</b>";
    String html =
        html(comparison(bad, row(bad, failed("failed: " + bad, run(1, 2, 3)), run(2, 2, 2))));
    assertThat(html)
        .doesNotContain("<b>")
        .contains("&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;");
  }

  @Test
  void whatNeedsFarMoreHasAChartOfItsOwn() {
    String html =
        html(
            comparison(
                "churn",
                row("jvm", run(0.1, 487, 0)),
                row("hybrid", run(0.8, 20, 7)),
                row("semispace", run(0.4, 32, 28))));
    assertThat(html)
        .contains(
            "semispace peaked at 32\u00a0MiB, the most; hybrid at 20\u00a0MiB, the least. In a"
                + " chart below, to a scale that suits far more memory: jvm.",
            "id=\"w1-memory-chart-2\"",
            "jvm peaked at 487\u00a0MiB.",
            "jvm never paused.");
  }

  @Test
  void failedRunsAreRows() {
    RunResult run = run(0.8, 20, 7);
    String html =
        html(
            comparison(
                "cycles",
                row("refcount", failed("leaked", run), failed("leaked", run)),
                row("semispace", RunResult.failed("the worker ended with status 134")),
                row("hybrid", run, failed("out-of-memory", run))));
    assertThat(html)
        .contains(
            "leaked (2 of 2)",
            "out-of-memory (1 of 2)",
            "failed: the worker ended with status 134 (1 of 1)",
            "Runs that failed are left out: refcount, semispace and hybrid.");
  }

  @Test
  void differingChecksumsAreAnAlarm() {
    RunResult run = run(0.8, 20, 7);
    RunResult wrong = new RunResult(run.status(), 6L, run.figures(), run.extras(), run.recording());
    assertThat(html(comparison("churn", row("a", run), row("b", wrong))))
        .contains("<strong>The checksums differ.</strong>", "a 5;", "b 6;")
        .doesNotContain("<dt>Checksum</dt>");
  }

  @Test
  void oneCollectorOneSampleNoPause() {
    assertThat(html(comparison("tail", row("only", run(0.8, 20, 0)))))
        .contains(
            "tail under only",
            "only peaked at 20\u00a0MiB.",
            "No pause was recorded.",
            "only took 800\u00a0ms. only needed 20\u00a0MiB.");
  }

  @Test
  void nothingAtAll() {
    assertThat(html(comparison("tenants", row("a", RunResult.failed("x")))))
        .contains("Nothing was recorded", "No pause was recorded", "so there is nothing to draw")
        .doesNotContain("<figure");
  }

  @Test
  void thoseThatAreEqualAreNamedTogether() {
    assertThat(
            html(
                comparison(
                    "w",
                    row("a", run(1, 20, 1)),
                    row("b", run(1, 20, 1)),
                    row("c", run(1, 20, 1)))))
        .contains("a, b and c peaked at 20\u00a0MiB, all of them.");
  }
}
