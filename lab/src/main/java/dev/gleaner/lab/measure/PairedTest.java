package dev.gleaner.lab.measure;

/**
 * Student's t-test for pairs: whether figures that were taken in turns differ by more than the
 * noise. Of each pair the logarithm of the ratio is taken; they differ if the mean of these is not
 * 0. Fewer than three pairs carry nothing.
 */
public final class PairedTest {
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
    return StudentT.isBeyond(mean, Math.sqrt(variance / pairs), pairs - 1);
  }
}
