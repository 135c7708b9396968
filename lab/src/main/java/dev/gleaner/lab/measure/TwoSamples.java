package dev.gleaner.lab.measure;

import java.util.List;

/**
 * Student's t-test for two samples: whether figures that were taken one sample after the other
 * differ by more than the noise inside each. Fewer than three figures in one carry nothing.
 */
public final class TwoSamples {
  private final Sample before;
  private final Sample after;

  /** The logarithms of figures: those that are not positive say nothing. */
  private record Sample(int count, double mean, double squares) {
    static Sample of(List<Double> figures) {
      double[] logs = figures.stream().filter(x -> x > 0).mapToDouble(Math::log).toArray();
      double sum = 0;
      for (double x : logs) {
        sum += x;
      }
      double mean = logs.length == 0 ? 0 : sum / logs.length;
      double squares = 0;
      for (double x : logs) {
        squares += (x - mean) * (x - mean);
      }
      return new Sample(logs.length, mean, squares);
    }
  }

  /** Takes both samples. */
  public TwoSamples(List<Double> before, List<Double> after) {
    this.before = Sample.of(before);
    this.after = Sample.of(after);
  }

  /** Returns whether there are enough figures to tell a difference from noise. */
  public boolean isEnough() {
    return Math.min(before.count, after.count) >= 3;
  }

  /** Returns the geometric mean of the first sample. */
  public double before() {
    return Math.exp(before.mean);
  }

  /** Returns the geometric mean of the second sample. */
  public double after() {
    return Math.exp(after.mean);
  }

  /** Returns the second mean over the first. */
  public double ratio() {
    return after() / before();
  }

  /** Returns whether there is a difference beyond the noise. */
  public boolean differs() {
    if (!isEnough()) {
      return false;
    }
    int freedom = before.count + after.count - 2;
    double variance = (before.squares + after.squares) / freedom;
    double error = Math.sqrt(variance * (1.0 / before.count + 1.0 / after.count));
    return StudentT.isBeyond(after.mean - before.mean, error, freedom);
  }
}
