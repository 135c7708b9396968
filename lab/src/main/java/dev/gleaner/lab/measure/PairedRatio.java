package dev.gleaner.lab.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How many times as large one figure is as another, from runs that were taken in turns, and what
 * may be said of that.
 *
 * <p>Of each pair the logarithm of the ratio is taken; the ratio is that of their mean. Its
 * interval holds two: that of a bootstrap over the pairs, which knows their distribution, and that
 * of Student's t, since of a few pairs a bootstrap knows too little. Both are at the level of 0.5
 * %, as many pairs are looked at, and more than once while a comparison goes on. Fewer than three
 * pairs carry nothing.
 */
public final class PairedRatio {
  /** Ratios within so much of 1 are equal. */
  public static final double SAME = 0.05;

  /** No more pairs than this are named as the number that would decide. */
  public static final int MOST_NEEDED = 1000;

  /** Fewer pairs than this carry nothing. */
  public static final int FEWEST = 3;

  private static final int SAMPLES = 2000;

  private final List<Double> logs = new ArrayList<>();

  /** What the interval says. */
  public enum State {
    /** The first figure is smaller. */
    LESS,
    /** The first figure is larger. */
    MORE,
    /** They differ by less than five percent. */
    EQUAL,
    /** Neither: there are too few pairs for the noise. */
    UNDECIDED
  }

  /**
   * What the pairs carry.
   *
   * @param ratio the first figure over the second; 1 of no pair
   * @param low where the interval begins
   * @param high where the interval ends
   */
  public record Estimate(double ratio, double low, double high, int pairs) {
    /** Returns what may be said. */
    public State state() {
      if (pairs < FEWEST) {
        return State.UNDECIDED;
      }
      if (low > 1 / (1 + SAME) && high < 1 + SAME) {
        return State.EQUAL;
      }
      return high < 1 ? State.LESS : low > 1 ? State.MORE : State.UNDECIDED;
    }

    /** Returns how many pairs would probably decide, at most a thousand. */
    public int needed() {
      if (pairs < FEWEST) {
        return FEWEST;
      }
      double half = Math.log(high / low) / 2;
      double deviation = half * Math.sqrt(pairs) / StudentT.critical(pairs - 1);
      double apart = Math.abs(Math.log(ratio));
      double room = Math.max(apart, Math.log(1 + SAME) - apart);
      int n = pairs + 1;
      while (n < MOST_NEEDED && deviation * StudentT.critical(n - 1) / Math.sqrt(n) >= room) {
        n++;
      }
      return n;
    }
  }

  /** Adds a pair; one that is not positive says nothing. */
  public void add(double x, double y) {
    if (x > 0 && y > 0) {
      logs.add(Math.log(x / y));
    }
  }

  /** Returns what the pairs carry; the same for the same pairs. */
  public Estimate estimate() {
    int n = logs.size();
    double mean = logs.stream().mapToDouble(x -> x).average().orElse(0);
    if (n < FEWEST) {
      return new Estimate(Math.exp(mean), 0, Double.POSITIVE_INFINITY, n);
    }
    double squares = logs.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
    double half = Math.sqrt(squares / (n - 1) / n) * StudentT.critical(n - 1);
    double[] means = bootstrap(n);
    int tail = SAMPLES / 400;
    double low = Math.min(mean - half, means[tail]);
    double high = Math.max(mean + half, means[SAMPLES - 1 - tail]);
    return new Estimate(Math.exp(mean), Math.exp(low), Math.exp(high), n);
  }

  private double[] bootstrap(int n) {
    SplittableRandom random = new SplittableRandom(n);
    double[] means = new double[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
      double sum = 0;
      for (int i = 0; i < n; i++) {
        sum += logs.get(random.nextInt(n));
      }
      means[sample] = sum / n;
    }
    Arrays.sort(means);
    return means;
  }
}
