package dev.gleaner.util;

import java.util.Arrays;

/**
 * An array of ints that grows by parts: no step of growing copies more than a part, however many
 * there are. The first part alone grows by doubling, so that few ints take little memory.
 */
public final class IntParts {
  private static final int SHIFT = 12;
  private static final int PART = 1 << SHIFT;
  private static final int LEAST = 16;

  /** What an array without a place has; many stay like that. */
  private static final int[][] NONE = {{}};

  private int[][] parts = NONE;
  private int count = 1;

  /** Makes an array without a place. */
  public IntParts() {}

  /** Makes room for a number; new places are 0. */
  public void ensure(int n) {
    int[] first = parts[0];
    if (n > first.length && first.length < PART) {
      int most = Math.max(n, Math.max(LEAST, first.length * 2));
      int[] more = Arrays.copyOf(first, Math.min(PART, most));
      if (first.length == 0) {
        parts = new int[][] {more};
      } else {
        parts[0] = more;
      }
    }
    while (n > count << SHIFT) {
      if (count == parts.length) {
        parts = Arrays.copyOf(parts, count * 2);
      }
      parts[count++] = new int[PART];
    }
  }

  /** Returns the int at an index, for which there is room. */
  public int get(int i) {
    return parts[i >>> SHIFT][i & (PART - 1)];
  }

  /** Sets the int at an index, for which there is room. */
  public void set(int i, int value) {
    parts[i >>> SHIFT][i & (PART - 1)] = value;
  }

  /** Sets all to 0. */
  public void clear() {
    for (int p = 0; p < count; p++) {
      Arrays.fill(parts[p], 0);
    }
  }

  /** Gives back the room for what is beyond a number, where all is 0. */
  public void trim(int n) {
    while (count > 1 && n <= (count - 1) << SHIFT) {
      parts[--count] = NONE[0];
    }
    int[] first = parts[0];
    if (first.length > LEAST && n <= first.length >> 2) {
      parts[0] = Arrays.copyOf(first, first.length >> 1);
    }
  }
}
