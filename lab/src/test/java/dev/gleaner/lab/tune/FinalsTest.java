package dev.gleaner.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Finals and sameness, on simulated figures. */
class FinalsTest {
  private static final TradeOff.Limits NONE = TradeOff.Limits.NONE;
  private static final TradeOff.Limits FASTEST = new TradeOff.Limits(1L << 40, null);
  private static final int TURNS = 6;

  private static Trial unchanged(List<RunResult> runs) {
    return new Trial(Tuning.UNCHANGED, runs);
  }

  /** Turns on a machine whose speed changes from turn to turn and from run to run. */
  private static List<Trial> turns(SplittableRandom random, double... means) {
    List<List<RunResult>> runs = new ArrayList<>();
    for (double mean : means) {
      runs.add(new ArrayList<>(List.of(Trials.run(9 * mean, 100, 0.001)))); // it compiles
    }
    for (int turn = 1; turn < TURNS; turn++) {
      double machine = Math.exp(0.3 * random.nextGaussian());
      for (int i = 0; i < means.length; i++) {
        double noise = Math.exp(0.03 * random.nextGaussian());
        runs.get(i).add(Trials.run(means[i] * machine * noise, 100, 0.001));
      }
    }
    List<Trial> trials = new ArrayList<>();
    for (int i = 0; i < means.length; i++) {
      trials.add(i == 0 ? unchanged(runs.get(i)) : new Trial(Trials.tuning(i), runs.get(i)));
    }
    return trials;
  }

  @Test
  void theBestThreeAndTheSettingsAsTheyAreAreInTheFinal() {
    Trial now = unchanged(List.of(Trials.run(9, 900, 0.1)));
    List<Trial> all =
        List.of(
            now,
            Trials.trial(1, 5, 100, 0.001),
            Trials.trial(2, 2, 100, 0.001),
            Trials.trial(3, 3, 100, 0.001),
            Trials.trial(4, 4, 100, 0.001));
    assertThat(Finals.choose(all, NONE)).containsExactly(all.get(2), all.get(3), all.get(4), now);
    assertThat(Finals.choose(all, new TradeOff.Limits(500L, null)))
        .as("the settings as they are, even if they are beyond the limits")
        .containsExactly(all.get(2), all.get(3), all.get(4), now);
    assertThat(Finals.choose(List.of(now), NONE)).isEmpty();
    assertThat(Finals.choose(all, new TradeOff.Limits(1L, null))).isEmpty();
  }

  @Test
  void whereNoiseAloneMakesADifferenceTheSettingsStay() {
    SplittableRandom random = new SplittableRandom(7);
    int changes = 0;
    for (int i = 0; i < 500; i++) {
      Finals finals = Finals.of(turns(random, 1, 1, 1), FASTEST);
      changes += finals.nothingBeyondTheNoise() ? 0 : 1;
    }
    assertThat(changes).isLessThan(25);
  }

  @Test
  void aDifferenceThatIsThereIsFoundThoughTheMachineIsNoisy() {
    SplittableRandom random = new SplittableRandom(8);
    int found = 0;
    for (int i = 0; i < 200; i++) {
      Finals finals = Finals.of(turns(random, 1.3, 1.0, 1.3), FASTEST);
      Trial recommended = finals.recommended();
      found += recommended != null && recommended.tuning().equals(Trials.tuning(1)) ? 1 : 0;
    }
    assertThat(found).isGreaterThan(190);
  }

  @Test
  void twoSittingsRecommendTheSameOrSayThatItIsNoise() {
    SplittableRandom random = new SplittableRandom(9);
    int contradictions = 0;
    for (int i = 0; i < 300; i++) {
      Finals first = Finals.of(turns(random, 1.02, 1.0, 1.01), FASTEST);
      Finals second = Finals.of(turns(random, 1.02, 1.0, 1.01), FASTEST);
      Trial a = first.recommended();
      Trial b = second.recommended();
      boolean sure = first.level().size() == 1 && second.level().size() == 1;
      contradictions += sure && a != null && b != null && !a.tuning().equals(b.tuning()) ? 1 : 0;
    }
    assertThat(contradictions).isZero();
  }

  @Test
  void ofThoseThatAreLevelTheLeanestWins() {
    List<Trial> turns = turns(new SplittableRandom(1), 1, 1);
    List<RunResult> lean = new ArrayList<>();
    turns
        .get(1)
        .runs()
        .forEach(run ->
            lean.add(Trials.run(run.figures().getOrDefault(Figure.SECONDS, 0.0), 50, 0.001)));
    Trial leaner = new Trial(Trials.tuning(2), lean);
    Finals finals = Finals.of(List.of(turns.get(0), leaner), FASTEST);
    assertThat(finals.recommended()).isNotNull();
    assertThat(finals.recommended()).extracting(Trial::tuning).isEqualTo(Trials.tuning(2));
    assertThat(finals.nothingBeyondTheNoise()).isFalse();
  }

  @Test
  void nothingIsRecommendedThatBreaksALimitInTheFinal() {
    List<Trial> turns = turns(new SplittableRandom(1), 1, 1);
    assertThat(Finals.of(turns, new TradeOff.Limits(99L, null)).recommended()).isNull();
    assertThat(Finals.of(turns, new TradeOff.Limits(100L, null)).recommended()).isNotNull();
  }

  private static RunResult deeds(double seconds, double collections) {
    Map<Figure, Double> figures = new EnumMap<>(Trials.run(seconds, 100, 0.001).figures());
    figures.put(Figure.COLLECTIONS, collections);
    figures.put(Figure.RECLAIMED_ELEMENTS, 1000.0);
    return new RunResult(RunResult.OK, 42L, figures, Map.of());
  }

  @Test
  void settingsThatDoTheSameAreOne() {
    Trial now = unchanged(List.of(deeds(3, 7), deeds(1, 7)));
    Trial same = new Trial(Trials.tuning(1), List.of(deeds(2, 7), deeds(9, 7), deeds(8, 7)));
    Trial other = new Trial(Trials.tuning(2), List.of(deeds(2, 8), deeds(2, 8)));
    Trial varies = new Trial(Trials.tuning(3), List.of(deeds(2, 7), deeds(2, 8)));
    Trial failed = new Trial(Trials.tuning(4), List.of(RunResult.failed("x")));
    Trial failedToo = new Trial(Trials.tuning(5), List.of(RunResult.failed("x")));
    List<Trial> distinct = Trial.distinct(List.of(now, same, other, varies, failed, failedToo));
    assertThat(distinct).hasSize(5);
    assertThat(distinct.getFirst().isUnchanged()).isTrue();
    assertThat(distinct.getFirst().same()).containsExactly(Trials.tuning(1));
    assertThat(distinct.getFirst().seconds()).as("the median of all five").isEqualTo(3);
    assertThat(distinct.subList(1, 5)).containsExactly(other, varies, failed, failedToo);
  }
}
