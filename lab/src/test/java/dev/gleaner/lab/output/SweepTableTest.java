package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.tune.Finals;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.TradeOff;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The curve of time against memory as text. */
class SweepTableTest {
  private static Trial trial(int mult, double seconds, double peakBytes) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.SECONDS, seconds);
    figures.put(Figure.PEAK_USED_BYTES, peakBytes);
    figures.put(Figure.PAUSE_SECONDS_MAX, 0.001);
    RunResult run = new RunResult(RunResult.OK, 42L, figures, Map.of());
    return new Trial(new Tuning(BigDecimal.valueOf(mult), 1024L, null), List.of(run));
  }

  private static String text(Trial... trials) {
    return String.join("\n", lines(120, trials));
  }

  private static List<String> lines(int width, Trial... trials) {
    TradeOff.Limits none = TradeOff.Limits.NONE;
    List<Trial> all = List.of(trials);
    SweepResult sweep =
        SweepResult.of("hybrid", "1", "churn", Map.of(), Examples.MACHINE, none, all, null);
    return SweepTable.lines(sweep, width);
  }

  /** The leanest is, whatever its time: noise has decided that. */
  @Test
  void saysWhyOneOfThoseWithinTheNoiseIsRecommended() {
    Trial fast = trial(2, 1.0, 2 << 20);
    Trial lean = trial(1, 3.0, 1 << 20);
    List<Trial> all = List.of(fast, lean);
    SweepResult sweep =
        SweepResult.of(
            "hybrid",
            "1",
            "churn",
            Map.of(),
            Examples.MACHINE,
            TradeOff.Limits.NONE,
            all,
            new Finals(all, all, lean));
    assertThat(SweepTable.lines(sweep, 200))
        .contains(
            "Equal, or undecided by so few runs: mult=2 add=1024 and mult=1 add=1024; the leanest"
                + " of them is recommended.")
        .anyMatch(line -> line.startsWith("Recommended: mult=1 add=1024: 3 s, at most"));
  }

  @Test
  void fitsInto80Columns() {
    Trial slow = trial(1, 123.0, 1000 << 20);
    Trial fast = trial(1_000_000, 122.0, 1001 << 20);
    assertThat(lines(120, slow, fast)).anyMatch(line -> line.length() > 80);
    assertThat(lines(80, slow, fast)).allMatch(line -> line.length() <= 80);
  }

  @Test
  void theFrontRunsFromLittleMemoryToLittleTime() {
    String text = text(trial(1, 2.0, 1 << 20), trial(8, 1.9, 3 << 20), trial(100, 1.0, 4 << 20));
    List<String> rows =
        text.lines().filter(line -> line.contains(" |") || line.contains(" +")).toList();
    assertThat(rows.getFirst()).isEqualTo("2.0 +" + " ".repeat(15) + "O");
    assertThat(rows.get(6)).isEqualTo("1.0 +" + " ".repeat(59) + "*");
    assertThat(text).contains("Time, s\n", "Peak memory in use, MiB\n", "* on the front");
  }

  @Test
  void whereMemoryIsTheSameThereIsNoCurve() {
    assertThat(text(trial(1, 2.0, 1 << 20), trial(100, 1.0, (1 << 20) + 16)))
        .contains(
            "All trials used at most 1.00 MiB: these settings change nothing about the memory")
        .doesNotContain(" |");
  }
}
