package dev.gleaner.util;

import java.util.Arrays;

/**
 * An array of longs that grows by parts: no step of growing copies more than a part, however many
 * there are. The first part alone grows by doubling, so that few longs take little memory.
 */
public final class LongParts {
  private static final int SHIFT = 12;
  private static final int PART = 1 << SHIFT;
  private static final int LEAST = 16;

  /** What an array without a place has; many stay like that. */
  private static final long[][] NONE = {{}};

  private long[][] parts = NONE;
  private int count = 1;

  /** Makes an array without a place. */
  public LongParts() {}

  /** Makes room for a number; new places are 0. */
  public void ensure(int n) {
    long[] first = parts[0];
    if (n > first.length && first.length < PART) {
      int most = Math.max(n, Math.max(LEAST, first.length * 2));
      long[] more = Arrays.copyOf(first, Math.min(PART, most));
      if (first.length == 0) {
        parts = new long[][] {more};
      } else {
        parts[0] = more;
      }
    }
    while (n > count << SHIFT) {
      if (count == parts.length) {
        parts = Arrays.copyOf(parts, count * 2);
      }
      parts[count++] = new long[PART];
    }
  }

  /** Returns the long at an index, for which there is room. */
  public long get(int i) {
    return parts[i >>> SHIFT][i & (PART - 1)];
  }

  /** Sets the long at an index, for which there is room. */
  public void set(int i, long value) {
    parts[i >>> SHIFT][i & (PART - 1)] = value;
  }
}
