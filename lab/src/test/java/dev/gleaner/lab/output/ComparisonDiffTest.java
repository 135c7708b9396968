package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ComparisonDiffTest {
  private static final double[] STEADY = {9, 1, 1.01, 0.99, 1};

  private static Row row(String name, double peak, double... seconds) {
    List<RunResult> runs = new ArrayList<>();
    for (double s : seconds) {
      runs.add(Examples.run(s, peak, 0.001));
    }
    return new Row(name, "1", Map.of("gleaner", Map.of("verify", "off")), runs);
  }

  private static ComparisonDiff diff(Row first, Row second) {
    return new ComparisonDiff(Examples.comparison(first), Examples.comparison(second));
  }

  private static String text(Row first, Row second) {
    return String.join("\n", diff(first, second).lines(100));
  }

  private static double[] times(double factor, double... seconds) {
    double[] times = seconds.clone();
    for (int i = 0; i < times.length; i++) {
      times[i] *= factor;
    }
    return times;
  }

  @Test
  void saysWhatIsSlowerAndByHowMuch() {
    Row before = row("a", 100, STEADY);
    Row after = row("a", 100, times(1.5, STEADY));
    assertThat(diff(before, after).lines(100))
        .containsExactly(
            "churn:slots=1_000",
            "",
            "           before  after                   longest",
            "collector       s      s  time    peak       pause",
            "a            1.00   1.50  1.50    1.00  ~     1.00  ~",
            "",
            "a takes 1.50 times as long.",
            "Other differences (~) are within the noise.");
    assertThat(diff(before, after).isWorse()).isTrue();
    assertThat(diff(after, before).isWorse()).isFalse();
    assertThat(text(after, before)).contains("a takes 0.67 times as long.");
  }

  @Test
  void theSameIsWithinTheNoise() {
    Row row = row("a", 100, STEADY);
    assertThat(text(row, row)).endsWith("No difference is beyond the noise.");
    assertThat(diff(row, row).isWorse()).isFalse();
  }

  @Test
  void memoryCountsIfItIsMoreThanTwoPercent() {
    Row before = row("a", 1000, STEADY);
    assertThat(diff(before, row("a", 1019, STEADY)).isWorse()).isFalse();
    assertThat(diff(before, row("a", 1021, STEADY)).isWorse()).isTrue();
    assertThat(text(before, row("a", 2000, STEADY))).contains("a needs 2.00 times as much memory.");
  }

  @Test
  void aLongerPauseIsWorse() {
    Row before =
        new Row(
            "a",
            "1",
            Map.of(),
            List.of(Examples.run(1, 1, 2), Examples.run(1, 1, 2), Examples.run(1, 1, 2)));
    Row after =
        new Row(
            "a",
            "1",
            Map.of(),
            List.of(Examples.run(1, 1, 4), Examples.run(1, 1, 4), Examples.run(1, 1, 4)));
    assertThat(text(before, after)).contains("a pauses 2.00 times as long.");
    assertThat(diff(before, after).isWorse()).isTrue();
  }

  @Test
  void aRunThatFailsNowIsWorse() {
    Row before = row("a", 100, STEADY);
    List<RunResult> runs = new ArrayList<>(before.runs());
    runs.set(4, RunResult.failed("why"));
    Row after = new Row("a", "1", before.settings(), runs);
    assertThat(text(before, after)).contains("a *").contains("* a: failed: why (1 run)");
    assertThat(diff(before, after).isWorse()).isTrue();
    assertThat(diff(after, before).isWorse()).isFalse();
  }

  @Test
  void theBaselineIsShownAndNotJudged() {
    Row before = row("jvm", 100, STEADY);
    Row after = row("jvm", 100, times(3, STEADY));
    assertThat(text(before, after)).contains("jvm takes 3.00 times as long.");
    assertThat(diff(before, after).isWorse()).isFalse();
  }

  @Test
  void fewRunsCarryNothing() {
    Row before = row("a", 100, 1, 1);
    Row after = row("a", 100, 9, 9);
    assertThat(text(before, after)).contains("Too few runs", "–");
    assertThat(diff(before, after).isWorse()).isFalse();
  }

  @Test
  void saysWhichSettingsChangedAndWhatIsInOneAlone() {
    Row before = row("a", 100, STEADY);
    Row after =
        new Row(
            "a",
            "1",
            Map.of("gleaner", Map.of("verify", "full", "x", Map.of("y", 1))),
            before.runs());
    assertThat(text(before, after))
        .contains("a: gleaner.verify full, not off and gleaner.x.y 1, not not there.");
    Comparison two = Examples.comparison(before, row("b", 100, STEADY));
    Comparison one = Examples.comparison(before);
    assertThat(new ComparisonDiff(two, one).lines(100)).contains("b was measured before only.");
    assertThat(new ComparisonDiff(one, two).lines(100)).contains("b was measured after only.");
  }

  @Test
  void saysThatMachinesAndChecksumsDiffer() {
    Row row = row("a", 100, STEADY);
    Machine other = new Machine("B CPU", 4, 1L << 30, "Linux 7", "A JVM 26");
    Comparison before = Examples.comparison(row);
    RunResult wrong = new RunResult(RunResult.OK, 2L, row.runs().getFirst().figures(), Map.of());
    Comparison after =
        new Comparison(
            before.workload(),
            before.parameters(),
            other,
            List.of(new Row("a", "1", row.settings(), List.of(wrong))));
    assertThat(String.join("\n", new ComparisonDiff(before, after).lines(100)))
        .contains("The machines differ: A CPU, 2 cores", "B CPU, 4 cores")
        .contains("a: the checksums differ.");
  }

  /** Two sittings of a machine that is noisy, but as noisy each time. */
  private static Row noisy(SplittableRandom random, double mean) {
    double[] seconds = new double[5];
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = mean * Math.exp(0.1 * random.nextGaussian());
    }
    return row("a", 100, seconds);
  }

  @Test
  void doesNotClaimWhatNoiseAloneMakes() {
    SplittableRandom random = new SplittableRandom(1);
    int claims = 0;
    for (int i = 0; i < 2000; i++) {
      ComparisonDiff diff = diff(noisy(random, 1), noisy(random, 1));
      claims += diff.lines(100).toString().contains("times as long") ? 1 : 0;
    }
    assertThat(claims).isBetween(2, 50); // 1 % of 2000 is 20
  }

  @Test
  void seesADifferenceThatIsThere() {
    SplittableRandom random = new SplittableRandom(2);
    int seen = 0;
    for (int i = 0; i < 200; i++) {
      seen += diff(noisy(random, 1), noisy(random, 1.5)).isWorse() ? 1 : 0;
    }
    assertThat(seen).isGreaterThan(150);
  }
}
