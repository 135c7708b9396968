package dev.gleaner.lab.measure;

/**
 * Student's t-test of logarithms, at the level of 1 % and two-sided, since many figures are looked
 * at.
 */
final class StudentT {
  /** What t must exceed, by degrees of freedom, from 1 on. */
  private static final double[] CRITICAL = {
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169
  };

  private StudentT() {}

  /**
   * Returns whether a mean is not 0.
   *
   * @param error the standard error of the mean
   * @param freedom degrees of freedom, at least 1
   */
  static boolean isBeyond(double mean, double error, int freedom) {
    return Math.abs(mean) > 1e-9
        && Math.abs(mean) > error * CRITICAL[Math.min(freedom, CRITICAL.length) - 1];
  }
}
