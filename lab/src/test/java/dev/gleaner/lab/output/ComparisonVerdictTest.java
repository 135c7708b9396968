package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PairedRatio.State;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ComparisonVerdictTest {
  private static Row row(String name, double... seconds) {
    List<RunResult> runs = new ArrayList<>();
    for (double s : seconds) {
      runs.add(Examples.run(s, 1 << 20, 0.001));
    }
    return new Row(name, "1", Map.of(), runs);
  }

  private static String text(Row... rows) {
    return ComparisonVerdict.of(Examples.comparison(rows)).text();
  }

  @Test
  void saysWhoIsFastestAndHowMuchLongerOthersTake() {
    assertThat(
            text(
                row("slow", 9, 4.1, 4.0, 4.2, 4.1),
                row("fast", 2, 1.01, 1.0, 1.02, 1.0),
                row("slower", 9, 8.1, 8.0, 8.2, 8.1),
                row("jvm", 1, 0.1, 0.1, 0.1, 0.1)))
        .isEqualTo(
            "fast is the fastest; slow and slower take 4.1 to 8.0 times as long. slow, fast and"
                + " slower need the least memory, 1 MiB; the longest pauses of slow, fast and"
                + " slower are equal, within 5 %.");
  }

  private static Row pauses(String name, double... pauses) {
    List<RunResult> runs = new ArrayList<>();
    for (double pause : pauses) {
      runs.add(Examples.run(1, 1 << 20, pause));
    }
    return new Row(name, "1", Map.of(), runs);
  }

  /** A figure beside two names would be true of one of them alone. */
  @Test
  void saysWhoseLongestPausesAreAlike() {
    Row a = pauses("a", 0.010, 0.004, 0.005, 0.006);
    Row b = pauses("b", 0.010, 0.030, 0.004, 0.005);
    Row c = pauses("c", 90, 100, 101, 102);
    assertThat(text(a, c)).endsWith("; a has the shortest of the longest pauses, 6 ms.");
    assertThat(text(a, b, c))
        .endsWith(
            "; the shortest of the longest pauses is undecided: beside a, b paused 1.71 times as"
                + " long (some 58 runs would decide).");
  }

  @Test
  void theBaselineIsHeldToTheLeanestAndTheMedianCollector() {
    List<Row> rows = new ArrayList<>();
    int[] peaks = {400, 100, 300, 200, 500};
    for (int peak : peaks) {
      rows.add(new Row("c" + peak, "1", Map.of(), List.of(Examples.run(1, peak, 0))));
    }
    rows.add(new Row("jvm", "1", Map.of(), List.of(Examples.run(1, 1, 0))));
    rows.add(
        new Row("bad", "1", Map.of(), List.of(new RunResult("failed: x", 1L, Map.of(), Map.of()))));
    assertThat(ComparisonVerdict.leanAndMedianPeaks(rows)).containsExactly(100L, 300L);
    assertThat(ComparisonVerdict.leanAndMedianPeaks(rows.subList(5, 7))).isEmpty();
  }

  @Test
  void aHeldBaselineThatRunsOutOfMemoryIsNoFailureAndInNoSentence() {
    RunResult out = new RunResult(RunResult.OUT_OF_MEMORY, null, Map.of(), Map.of());
    Row held = new Row("jvm 20m", "1", Map.of(), List.of(out, out, out));
    Row a = row("a", 1, 1, 1, 1);
    Row b = row("b", 1, 1, 1, 1);
    assertThat(Examples.comparison(a, b, held).ok()).isTrue();
    assertThat(Examples.comparison(a, new Row("b", "1", Map.of(), List.of(out))).ok()).isFalse();
    assertThat(text(a, b, held)).isEqualTo(text(a, b));
  }

  @Test
  void saysWhatIsWithinTheNoise() {
    assertThat(text(row("a", 1, 1.0, 1.3, 0.9, 1.1), row("b", 1, 1.1, 1.0, 1.2, 0.9)))
        .startsWith(
            "Which of a and b is the fastest is undecided: b took 0.98 times as long (some 799 runs"
                + " would decide).");
    assertThat(text(row("a", 1, 1.0, 1.01, 1.0, 1.0), row("b", 1, 1.0, 1.0, 1.01, 1.0)))
        .startsWith("a and b are equally fast, within 5 %.");
    assertThat(
            text(
                row("a", 1, 1.0, 1.01, 1.0, 1.0),
                row("b", 1, 1.0, 1.0, 1.01, 1.0),
                row("c", 1, 1.1, 1.6, 1.0, 1.5),
                row("d", 1, 3.0, 3.1, 3.1, 3.0)))
        .startsWith(
            "a and b are equally fast, within 5 %; which of a and c is the fastest is undecided:")
        .contains("; d takes 3.0 times as long.");
  }

  /** Two hundred comparisons of a known ratio, on a machine that is busy at times. */
  @Test
  void hasTheRatioAndTheRunsWhereverItIsUndecided() {
    SplittableRandom random = new SplittableRandom(7);
    int undecided = 0;
    int wrong = 0;
    for (int i = 0; i < 200; i++) {
      boolean same = i % 2 == 0;
      double[] a = new double[5];
      double[] b = new double[5];
      for (int run = 0; run < 5; run++) {
        double machine = Math.exp(0.3 * random.nextGaussian());
        a[run] = machine * noise(random);
        b[run] = machine * noise(random) * (same ? 1 : 1.3);
      }
      String times = text(row("a", a), row("b", b)).split("\\. ", 2)[0];
      if (times.contains("undecided")) {
        undecided++;
        assertThat(times)
            .matches(
                "Which of (a and b|b and a) is the fastest is undecided: [ab] took \\d+\\.\\d\\d"
                    + " times as long \\((some \\d+|over 1000) runs would decide\\)");
      }
      wrong += times.startsWith("b is") || (same && times.startsWith("a is")) ? 1 : 0;
    }
    assertThat(wrong).isLessThan(2);
    assertThat(undecided).isBetween(20, 199);
  }

  private static double noise(SplittableRandom random) {
    double neighbour = random.nextInt(5) == 0 ? 1 + random.nextDouble() : 1;
    return neighbour * Math.exp(0.05 * random.nextGaussian());
  }

  @Test
  void asksForMoreRunsWhereThereAreTooFew() {
    assertThat(text(row("a", 1, 1), row("b", 9, 9))).startsWith("Too few runs");
    assertThat(text(row("a", 1, 1, 1, 1, 1))).isEmpty();
  }

  /** The JVM compiles in the first run, which so is as long as it likes. */
  @Test
  void theFirstOfManyRunsDoesNotCount() {
    Row a = row("a", 100, 1.0, 1.01, 1.0, 1.02);
    Row b = row("b", 1, 2.0, 2.01, 2.0, 2.02);
    assertThat(ComparisonVerdict.estimate(b, a, Figure.SECONDS).state()).isEqualTo(State.MORE);
    assertThat(b.shown().figure(Figure.SECONDS)).isEqualTo(2.0);
    assertThat(a.shown().figure(Figure.SECONDS)).isEqualTo(1.0);
    assertThat(ComparisonVerdict.spread(a)).isLessThan(0.02);
  }
}
