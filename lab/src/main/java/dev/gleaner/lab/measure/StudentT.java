package dev.gleaner.lab.measure;

/**
 * Student's t at the level of 0.5 % and two-sided, since many figures are looked at, and some more
 * than once.
 */
final class StudentT {
  /** What t exceeds in one of 200 cases, by degrees of freedom, from 1 on. */
  private static final double[] CRITICAL = {
    127.3, 14.09, 7.453, 5.598, 4.773, 4.317, 4.029, 3.833, 3.690, 3.581, 3.497, 3.428, 3.372,
    3.326, 3.286, 3.252, 3.222, 3.197, 3.174, 3.153
  };

  private StudentT() {}

  /**
   * Returns what t must exceed.
   *
   * @param freedom degrees of freedom, at least 1
   */
  static double critical(int freedom) {
    return CRITICAL[Math.min(freedom, CRITICAL.length) - 1];
  }

  /**
   * Returns whether a mean is not 0.
   *
   * @param error the standard error of the mean
   * @param freedom degrees of freedom, at least 1
   */
  static boolean isBeyond(double mean, double error, int freedom) {
    return Math.abs(mean) > 1e-9 && Math.abs(mean) > error * critical(freedom);
  }
}
