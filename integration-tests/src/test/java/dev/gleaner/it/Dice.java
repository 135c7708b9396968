package dev.gleaner.it;

import java.util.List;

/** Random numbers that are the same for the same seed everywhere (SplitMix64, Steele 2014). */
final class Dice {
  private long state;

  Dice(long seed) {
    state = seed;
  }

  /**
   * The seed of the random tests: the system property {@code gleaner.seed}, 42 if there is none.
   */
  static long seed() {
    return Long.getLong("gleaner.seed", 42);
  }

  long next() {
    state += 0x9E3779B97F4A7C15L;
    long z = state;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** A number from 0 to {@code n - 1}. */
  int below(int n) {
    return (int) Long.remainderUnsigned(next(), n);
  }

  /** A number from {@code from} to {@code to}, both included. */
  int between(int from, int to) {
    return from + below(to - from + 1);
  }

  boolean chance(int percent) {
    return below(100) < percent;
  }

  <T> T pick(List<T> from) {
    return from.get(below(from.size()));
  }

  /** Dice of their own for a part, so that what the part rolls changes nothing elsewhere. */
  Dice fork() {
    return new Dice(next());
  }
}
