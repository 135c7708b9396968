package dev.gleaner.lab.measure;

/**
 * Student's t-test for pairs: whether figures that were taken in turns differ by more than the
 * noise. Of each pair the logarithm of the ratio is taken; they differ if the mean of these is not
 * 0, at the level of 1 %, since many pairs are looked at. Fewer than three pairs carry nothing.
 */
public final class PairedTest {
  /** What t must exceed, by degrees of freedom, from 1 on; two-sided, 1 %. */
  private static final double[] T = {
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169
  };

  private static final double T_OF_MANY = 3.17;

  private int pairs;
  private double sum;
  private double squares;

  /** Adds a pair; one that is not positive says nothing. */
  public void add(double x, double y) {
    if (x > 0 && y > 0) {
      double ratio = Math.log(x / y);
      pairs++;
      sum += ratio;
      squares += ratio * ratio;
    }
  }

  /** Returns whether there is a difference beyond the noise. */
  public boolean differs() {
    if (pairs < 3) {
      return false;
    }
    double mean = sum / pairs;
    double variance = Math.max(0, squares - sum * mean) / (pairs - 1);
    double error = Math.sqrt(variance / pairs);
    return Math.abs(mean) > 1e-9
        && Math.abs(mean) > error * (pairs - 2 < T.length ? T[pairs - 2] : T_OF_MANY);
  }
}
