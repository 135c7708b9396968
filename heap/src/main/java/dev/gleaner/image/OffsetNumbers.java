package dev.gleaner.image;

import java.util.Arrays;

/**
 * The numbers of elements by their offsets: one number for each word of memory, in parts that are
 * made when the first element in them gets its number.
 */
final class OffsetNumbers {
  private static final int PART = 13;
  private static final int[] NONE = new int[1 << PART];

  private int[][] parts = new int[0][];

  /** Returns the number of an element, or -1. */
  int get(long offset) {
    long word = offset >>> 3;
    int part = (int) (word >>> PART);
    return part < parts.length ? parts[part][(int) word & (1 << PART) - 1] - 1 : -1;
  }

  @SuppressWarnings("ReferenceEquality") // one array stands for all parts that are empty
  void put(long offset, int number) {
    long word = offset >>> 3;
    int part = (int) (word >>> PART);
    if (part >= parts.length) {
      int old = parts.length;
      parts = Arrays.copyOf(parts, Math.max(part + 1, old * 2));
      Arrays.fill(parts, old, parts.length, NONE);
    }
    if (parts[part] == NONE) {
      parts[part] = new int[1 << PART];
    }
    parts[part][(int) word & (1 << PART) - 1] = number + 1;
  }
}
