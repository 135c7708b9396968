package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ComparisonVerdictTest {
  private static final int RUNS = 5;

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

  /** Times around a mean, as of a machine whose speed changes from turn to turn and run to run. */
  private static Row[] noisy(SplittableRandom random, double... means) {
    double[][] times = new double[means.length][RUNS];
    for (int turn = 0; turn < RUNS; turn++) {
      double machine = Math.exp(0.3 * random.nextGaussian());
      for (int i = 0; i < means.length; i++) {
        times[i][turn] = means[i] * machine * Math.exp(0.1 * random.nextGaussian());
      }
    }
    Row[] rows = new Row[means.length];
    for (int i = 0; i < means.length; i++) {
      rows[i] = row("c" + i, times[i]);
    }
    return rows;
  }

  @Test
  void doesNotClaimWhatNoiseAloneMakes() {
    SplittableRandom random = new SplittableRandom(1);
    int claims = 0;
    for (int i = 0; i < 2000; i++) {
      Row[] rows = noisy(random, 1, 1);
      claims += ComparisonVerdict.differ(rows[0], rows[1], Figure.SECONDS) ? 1 : 0;
    }
    assertThat(claims).isBetween(2, 50); // 1 % of 2000 is 20
  }

  @Test
  void seesADifferenceThatIsThere() {
    SplittableRandom random = new SplittableRandom(2);
    int seen = 0;
    for (int i = 0; i < 200; i++) {
      Row[] rows = noisy(random, 1, 2);
      seen += ComparisonVerdict.differ(rows[0], rows[1], Figure.SECONDS) ? 1 : 0;
    }
    assertThat(seen).isGreaterThan(180);
  }

  @Test
  void twoSittingsOfANoisyMachineDoNotContradictEachOther() {
    SplittableRandom random = new SplittableRandom(3);
    int contradictions = 0;
    for (int i = 0; i < 500; i++) {
      Row[] first = noisy(random, 1, 1.05);
      Row[] second = noisy(random, 1, 1.05);
      boolean both =
          ComparisonVerdict.differ(first[0], first[1], Figure.SECONDS)
              && ComparisonVerdict.differ(second[0], second[1], Figure.SECONDS);
      boolean opposite = faster(first) != faster(second);
      contradictions += both && opposite ? 1 : 0;
    }
    assertThat(contradictions).isZero();
  }

  private static boolean faster(Row... rows) {
    return rows[0].shown().figures().getOrDefault(Figure.SECONDS, 0.0)
        < rows[1].shown().figures().getOrDefault(Figure.SECONDS, 0.0);
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
                + " slower need the least memory, 1 MiB; the longest pauses differ by no more than"
                + " the noise.");
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
    Row c = pauses("c", 0.100, 0.100, 0.101, 0.102);
    assertThat(text(a, c)).endsWith("; a has the shortest of the longest pauses, 4 ms.");
    assertThat(text(a, b, c))
        .endsWith(
            "; the longest pauses of a and b differ by no more than the noise, others are longer.");
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
        .startsWith("Between a and b no difference in time is beyond the noise.");
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
    assertThat(ComparisonVerdict.differ(a, b, Figure.SECONDS)).isTrue();
    assertThat(ComparisonVerdict.spread(a)).isLessThan(0.02);
  }
}
