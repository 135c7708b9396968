package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.PairedRatio.Estimate;
import dev.gleaner.lab.measure.PairedRatio.State;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
  /** Pairs after which a comparison that goes on looks again. */
  private static final int[] LOOKS = {4, 6, 9, 13, 19};

  /** A machine whose speed changes from turn to turn, with noise, and a neighbour at times. */
  private static double time(SplittableRandom random, double mean, double machine) {
    double burst = random.nextInt(5) == 0 ? 1 + random.nextDouble() : 1;
    return mean * machine * burst * Math.exp(0.05 * random.nextGaussian());
  }

  /** Returns what a comparison says that goes on until it can decide. */
  private static Estimate compare(SplittableRandom random, double ratio) {
    PairedRatio pairs = new PairedRatio();
    int n = 0;
    Estimate estimate = pairs.estimate();
    for (int look : LOOKS) {
      for (; n < look; n++) {
        double machine = Math.exp(0.3 * random.nextGaussian());
        pairs.add(time(random, ratio, machine), time(random, 1, machine));
      }
      estimate = pairs.estimate();
      if (estimate.state() != State.UNDECIDED) {
        break;
      }
    }
    return estimate;
  }

  private static boolean wrong(State said, double ratio) {
    return switch (said) {
      case LESS -> ratio >= 1;
      case MORE -> ratio <= 1;
      case EQUAL -> ratio > 1.05 || ratio < 1 / 1.05;
      case UNDECIDED -> false;
    };
  }

  /** Two hundred pairs of each known difference: fewer than one claim of a hundred is wrong. */
  @Test
  void claimsNothingWrongOnABusyMachine() {
    SplittableRandom random = new SplittableRandom(42);
    int wrong = 0;
    int all = 0;
    for (double ratio : new double[] {0.5, 0.9, 1, 1, 1.02, 1.06, 1.1, 1.3, 2, 4}) {
      for (int i = 0; i < 200; i++, all++) {
        wrong += wrong(compare(random, ratio).state(), ratio) ? 1 : 0;
      }
    }
    assertThat(wrong).isLessThan(all / 100);
  }

  @Test
  void seesWhatIsThere() {
    SplittableRandom random = new SplittableRandom(2);
    int seen = 0;
    for (int i = 0; i < 200; i++) {
      seen += compare(random, 2).state() == State.MORE ? 1 : 0;
    }
    assertThat(seen).isGreaterThan(190);
  }

  @Test
  void equalIsWhatIsKnownToBeWithinFivePercent() {
    PairedRatio pairs = new PairedRatio();
    for (double x : new double[] {1.0, 1.01, 0.99, 1.005, 1.0}) {
      pairs.add(x, 1);
    }
    assertThat(pairs.estimate().state()).isEqualTo(State.EQUAL);
    PairedRatio wide = new PairedRatio();
    for (double x : new double[] {1.0, 1.2, 0.8, 1.1, 0.9}) {
      wide.add(x, 1);
    }
    assertThat(wide.estimate().state()).isEqualTo(State.UNDECIDED);
  }

  /** An interval that is narrower than the difference is a difference, small as it is. */
  @Test
  void tooFewPairsCarryNothingAndMorePairsAreAskedFor() {
    PairedRatio pairs = new PairedRatio();
    pairs.add(2, 1);
    pairs.add(2, 1);
    pairs.add(-1, 1);
    assertThat(pairs.estimate().state()).isEqualTo(State.UNDECIDED);
    assertThat(pairs.estimate().needed()).isEqualTo(3);
    pairs.add(2.1, 1);
    assertThat(pairs.estimate().state()).isEqualTo(State.MORE);
    PairedRatio noisy = new PairedRatio();
    for (double x : new double[] {1.0, 1.5, 1.1, 1.4}) {
      noisy.add(x, 1);
    }
    assertThat(noisy.estimate().state()).isEqualTo(State.UNDECIDED);
    assertThat(noisy.estimate().needed()).isBetween(6, 12);
    PairedRatio even = new PairedRatio();
    for (double x : new double[] {0.5, 2, 0.5, 2}) {
      even.add(x, 1);
    }
    assertThat(even.estimate().needed()).isEqualTo(1000);
  }

  @Test
  void hasTheSameIntervalForTheSamePairs() {
    PairedRatio pairs = new PairedRatio();
    for (int i = 1; i < 9; i++) {
      pairs.add(i, 9 - i);
    }
    assertThat(pairs.estimate()).isEqualTo(pairs.estimate());
    assertThat(pairs.estimate().low()).isLessThan(1);
    assertThat(pairs.estimate().high()).isGreaterThan(1);
  }
}
