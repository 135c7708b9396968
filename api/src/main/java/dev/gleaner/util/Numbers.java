package dev.gleaner.util;

import java.util.Arrays;

/**
 * The numbers of a table's entries. The lowest free one is given first, and the bound falls when
 * the highest are given back, so that who goes through the table forgets how large it was; free
 * ones below are passed over by the word.
 *
 * <p>A {@link java.util.BitSet} would look for its highest bit whenever one is cleared.
 */
public final class Numbers {
  /** Those below the bound that are free, a bit each; beyond the array none is. */
  private long[] free = new long[1];

  /** None that is free is lower. */
  private int leastFree;

  private final int first;
  private int bound;

  /** Makes the numbers from {@code first} on, all free. */
  public Numbers(int first) {
    this.first = first;
    bound = first;
  }

  /** Takes the lowest free number. */
  public int take() {
    int n = nextFree();
    if (n < bound) {
      free[n >> 6] ^= 1L << n;
    } else {
      bound = n + 1;
    }
    leastFree = n + 1;
    return n;
  }

  private int nextFree() {
    int words = Math.min(free.length, (bound + 63) >> 6);
    long mask = -1L << leastFree;
    for (int w = leastFree >> 6; w < words; w++) {
      long bits = free[w] & mask;
      if (bits != 0) {
        return (w << 6) + Long.numberOfTrailingZeros(bits);
      }
      mask = -1;
    }
    return bound;
  }

  /** Gives a number back. */
  public void release(int n) {
    if (n == bound - 1) {
      bound = n;
      while (bound > first && isFree(bound - 1)) {
        bound--;
        free[bound >> 6] ^= 1L << bound;
      }
      return;
    }
    if (n >> 6 >= free.length) {
      free = Arrays.copyOf(free, Math.max((bound + 63) >> 6, free.length * 2));
    }
    free[n >> 6] |= 1L << n;
    leastFree = Math.min(leastFree, n);
  }

  private boolean isFree(int n) {
    return n >> 6 < free.length && (free[n >> 6] >>> n & 1) != 0;
  }

  /** The first number in use from {@code from} on, or the bound. */
  public int next(int from) {
    long mask = -1L << from;
    for (int w = from >> 6; w < free.length; w++) {
      long bits = ~free[w] & mask;
      if (bits != 0) {
        return Math.min(bound, (w << 6) + Long.numberOfTrailingZeros(bits));
      }
      mask = -1;
    }
    return Math.min(bound, Math.max(from, free.length << 6));
  }

  /** The last number in use up to {@code from}, or one below the first. */
  public int previous(int from) {
    int n = Math.min(from, bound - 1);
    while (n >= first && isFree(n)) {
      int word = n >> 6;
      long bits = ~free[word] & (-1L >>> (63 - (n & 63)));
      n = bits == 0 ? (word << 6) - 1 : (word << 6) + 63 - Long.numberOfLeadingZeros(bits);
    }
    return Math.max(n, first - 1);
  }

  /** Those in use are below this. */
  public int bound() {
    return bound;
  }
}
