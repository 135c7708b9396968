package dev.gleaner.testing;

import java.util.Random;
import java.util.function.Consumer;

/** Random programs from seeds that a failure names; {@code -Dgleaner.seed=…} repeats one. */
public final class Seeds {
  private Seeds() {}

  /** Runs a program with so many generators, one after the other. */
  public static void forEach(int times, Consumer<Random> program) {
    long first = Long.getLong("gleaner.seed", 42);
    for (long seed = first; seed < first + times; seed++) {
      try {
        // Seeds that are close together would all begin with the same boolean.
        program.accept(new Random(seed * 0x9E3779B97F4A7C15L));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("with -Dgleaner.seed=" + seed + ": " + e.getMessage(), e);
      }
    }
  }
}
