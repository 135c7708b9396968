package dev.gleaner.it.errors;

/** Where an error may come: before each call and each allocation of Gleaner's own code. */
public final class ErrorPoint {
  private static long countdown = -1;
  private static boolean goesOn;
  private static long passed;

  private ErrorPoint() {}

  /** What instrumented code calls. */
  public static void pass() {
    if (countdown >= 0) {
      passed++;
      if (--countdown < 0) {
        countdown = goesOn ? 0 : -1;
        throw new StackOverflowError("at point " + passed);
      }
    }
  }

  /**
   * Has the point after so many others throw.
   *
   * @param all whether all further points do so, too, until {@link #disarm}
   */
  public static void arm(long after, boolean all) {
    passed = 0;
    goesOn = all;
    countdown = after;
  }

  /** Ends it; answers how many points were passed. */
  public static long disarm() {
    countdown = -1;
    return passed;
  }
}
