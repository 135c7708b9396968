package dev.gleaner.it.errors;

import java.util.function.Supplier;

/** Runs code with an error at one of its points. */
public final class Injection {
  private Injection() {}

  /** Counts the points that code passes. */
  public static long count(Supplier<Object> code) {
    ErrorPoint.arm(Long.MAX_VALUE, false);
    try {
      Object _ = code.get();
    } finally {
      return ErrorPoint.disarm();
    }
  }

  /** Runs it with an error at a point. */
  public static <T> T at(long point, boolean goesOn, Supplier<T> code) {
    ErrorPoint.arm(point, goesOn);
    try {
      return code.get();
    } finally {
      long _ = ErrorPoint.disarm();
    }
  }
}
