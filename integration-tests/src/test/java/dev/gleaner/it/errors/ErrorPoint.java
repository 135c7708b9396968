package dev.gleaner.it.errors;

import java.util.function.Supplier;

/**
 * The points of Gleaner's own code at which an error may come: before each call and each
 * allocation, as the Java stack or the JVM's memory may end there.
 */
public final class ErrorPoint {
  private static final long NEVER = -1;

  /** Points until the error, or {@link #NEVER}. */
  private static long left = NEVER;

  private static boolean goesOn;
  private static long passed;

  private ErrorPoint() {}

  /** What instrumented code calls at each point. */
  public static void pass() {
    if (left != NEVER) {
      passed++;
      if (left > 0) {
        left--;
      } else {
        left = goesOn ? 0 : NEVER;
        throw new StackOverflowError("at point " + passed);
      }
    }
  }

  /** How many points code passes. */
  public static long count(Supplier<?> code) {
    Object _ = with(Long.MAX_VALUE, false, code);
    return passed;
  }

  /**
   * Runs code with an error at the point after so many others.
   *
   * @param all whether there is one at all further points, too: in handlers and finally blocks
   */
  public static <T> T with(long after, boolean all, Supplier<T> code) {
    passed = 0;
    goesOn = all;
    left = after;
    try {
      return code.get();
    } finally {
      left = NEVER;
    }
  }
}
