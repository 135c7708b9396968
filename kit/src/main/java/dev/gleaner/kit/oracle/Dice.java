package dev.gleaner.kit.oracle;

import java.util.List;
import org.apiguardian.api.API;

/** Random numbers that are the same for the same seed everywhere (SplitMix64, Steele 2014). */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Dice {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private long state;

  /**
   * Makes dice that roll the same for the same seed.
   *
   * @param seed any number
   */
  public Dice(long seed) {
    state = seed;
  }

  /**
   * {@return the seed of the random tests: the system property {@code gleaner.seed}, 42 if there is
   * none}
   */
  public static long seed() {
    return Long.getLong("gleaner.seed", 42);
  }

  /**
   * Returns the seed of a part of what has a seed, so that what one part rolls changes no other.
   */
  static long mix(long seed, long part) {
    return new Dice(new Dice(seed).next() + part * GOLDEN).next();
  }

  /**
   * Rolls any number.
   *
   * @return the number
   */
  public long next() {
    state += GOLDEN;
    long z = state;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /**
   * Rolls a number from 0 to {@code n - 1}.
   *
   * @param n at least 1
   * @return the number
   */
  public int below(int n) {
    return (int) Long.remainderUnsigned(next(), n);
  }

  /**
   * Rolls a number from {@code from} to {@code to}, both included.
   *
   * @param from the least
   * @param to the greatest
   * @return the number
   */
  public int between(int from, int to) {
    return from + below(to - from + 1);
  }

  /**
   * Rolls true so many times in a hundred.
   *
   * @param percent from 0 to 100
   * @return whether it was rolled
   */
  public boolean chance(int percent) {
    return below(100) < percent;
  }

  /**
   * Picks one of these.
   *
   * @param <T> what they are
   * @param from at least one
   * @return one of them
   */
  public <T> T pick(List<T> from) {
    return from.get(below(from.size()));
  }
}
