package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
  @Test
  void showsTheMediansOfEachCollectorAndAllItsPauses() {
    Comparison comparison =
        Examples.comparison(
            Examples.row(
                "framestack",
                Examples.run("ok", 7L, 3.5),
                Examples.run("ok", 7L, 1.5),
                Examples.run("ok", 7L, 2.5)),
            Examples.row("jvm", new RunResult("ok", 7L, Map.of(), Map.of())));
    assertThat(String.join("\n", ComparisonTable.lines(comparison, 200)) + "\n")
        .isEqualTo(
            """
            churn:slots=1_000, medians of 3 runs, checksum 7

                        time   ±   CPU    times  alloc  mutator  collec-  pauses  p50  p99   max  peak   bytes/      re-         final-    left
            collector      s   %     s  fastest  MiB/s        %    tions       s    s    s     s   MiB  element  claimed  moved   izers  at end
            framestack  2.50  40  2.50     1.00   47.1     75.0    123 M   0.625    –    –  3.50   118     32.5    123 M  123 M   123 M   123 M
            jvm            –   –     –        –      –        –        –       –    –    –     –     –        –        –      –       –       –

                             framestack  jvm
            collection 1 ms        12.3    –
            """);
  }

  private static String printed(boolean coloured, Comparison comparison) {
    StringWriter text = new StringWriter();
    ComparisonTable.print(Printable.printer(text, coloured), comparison, 100);
    return text.toString();
  }

  /** Colours come from what is said, never from a name. */
  @Test
  void hasColoursWhereTheWriterShowsThem() {
    Comparison comparison =
        Examples.comparison(
            Examples.row(
                "fast", Examples.run(1, 9, 1), Examples.run(1, 9, 1), Examples.run(1.01, 9, 1)),
            Examples.row(
                "slow", Examples.run(5, 9, 1), Examples.run(5, 9, 1), Examples.run(5.01, 9, 1)),
            Examples.row("bad\u001b[32m", Examples.run("leaked", 1L, 1.5)));
    String plain = printed(false, comparison);
    String coloured = printed(true, comparison);
    assertThat(plain.lines())
        .isEqualTo(
            ComparisonTable.lines(comparison, 100).stream()
                .map(line -> line.replace("\u001b", "\\u001b"))
                .toList());
    assertThat(coloured.replaceAll("\u001b\\[[0-9]+m", "")).isEqualTo(plain);
    assertThat(coloured.lines())
        .anyMatch(line -> line.startsWith("\u001b[1mcollector") && line.endsWith("\u001b[0m"))
        .anyMatch(line -> line.startsWith("\u001b[32mfast"))
        .anyMatch(line -> line.startsWith("slow"))
        .anyMatch(line -> line.startsWith("\u001b[31mbad\\u001b[32m *"))
        .anyMatch(line -> line.startsWith("\u001b[1mfast is the fastest"));
  }

  @Test
  void leavesOutColumnsThatATerminalDoesNotHoldAndNamesThem() {
    Comparison comparison =
        Examples.comparison(Examples.row("framestack", Examples.run("ok", 1L, 12.345)));
    for (int width = 40; width < 140; width++) {
      int most = width;
      assertThat(ComparisonTable.lines(comparison, width)).allMatch(line -> line.length() <= most);
    }
    assertThat(ComparisonTable.lines(comparison, 100))
        .anyMatch(line -> line.startsWith("Not shown for want of width: alloc, moved"));
    assertThat(ComparisonTable.lines(comparison, 60))
        .anyMatch(line -> line.contains("time") && line.contains("max") && line.contains("peak"));
  }

  @Test
  void partsTheSecondTableWhereATerminalDoesNotHoldIt() {
    Row[] rows = new Row[10];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Examples.row("collector" + i, Examples.run("ok", 1L, 12.345));
    }
    List<String> lines = ComparisonTable.lines(Examples.comparison(rows), 80);
    assertThat(lines).allMatch(line -> line.length() <= 80);
    assertThat(lines.stream().filter(line -> line.startsWith("collection 1 ms"))).hasSize(2);
    assertThat(lines).anyMatch(line -> line.startsWith("  ") && line.contains("collector9"));
  }

  @Test
  void fitsInto120ColumnsWithFigures() {
    Comparison comparison =
        Examples.comparison(Examples.row("framestack", Examples.run("leaked", 1L, 12.345)));
    assertThat(ComparisonTable.lines(comparison, 120)).allMatch(line -> line.length() <= 120);
  }

  @Test
  void saysWhatFailed() {
    RunResult failed = RunResult.failed("the worker ended with status 134");
    Comparison comparison =
        Examples.comparison(
            Examples.row("hybrid", failed),
            Examples.row("refcount", Examples.run("leaked", 5L, 1), Examples.run("ok", 5L, 2)));
    List<String> lines = ComparisonTable.lines(comparison, 200);
    assertThat(lines)
        .anyMatch(line -> line.startsWith("hybrid *") && line.contains("–"))
        .contains("* hybrid: failed: the worker ended with status 134 (1 of 1 runs)")
        .contains("* refcount: leaked (1 of 2 runs)");
    assertThat(comparison.ok()).isFalse();
  }

  @Test
  void saysThatChecksumsDiffer() {
    Comparison comparison =
        Examples.comparison(
            Examples.row("hybrid", Examples.run("ok", 5L, 1)),
            Examples.row("semispace", Examples.run("ok", 6L, 1)));
    assertThat(ComparisonTable.lines(comparison, 200))
        .contains("The checksums differ:", "  hybrid: 5", "  semispace: 6");
    assertThat(comparison.ok()).isFalse();
  }

  /** The first of four runs does not count, in no column. */
  @Test
  void allColumnsAreOfTheSameRuns() {
    Comparison comparison =
        Examples.comparison(
            Examples.row(
                "a",
                Examples.run(90, 9 << 20, 9),
                Examples.run(1, 3 << 20, 0.001),
                Examples.run(2, 1 << 20, 0.003),
                Examples.run(4, 2 << 20, 0.002)));
    assertThat(ComparisonTable.lines(comparison, 80))
        .contains("churn:slots=1_000, medians of runs 2 to 4, checksum 1")
        .anyMatch(line -> line.matches("a  +2  75  .* 3  +2"));
  }

  @Test
  void aPercentileNeedsAPauseBeyondIt() {
    assertThat(Column.hasPercentile(9, 50)).isFalse();
    assertThat(Column.hasPercentile(10, 90)).isTrue();
    assertThat(Column.hasPercentile(99, 99)).isFalse();
    assertThat(Column.hasPercentile(100, 99)).isTrue();
    assertThat(Column.hasPercentile(999, 99.9)).isFalse();
    assertThat(Column.hasPercentile(1000, 99.9)).isTrue();
  }
}
