package dev.gleaner.lab.hprof;

import java.util.Arrays;

/** A list of integers that grows by half. */
final class IntList {
  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private int[] values = new int[16];
  private int size;

  void add(int value) {
    if (size == values.length) {
      if (size == LARGEST) {
        throw new IllegalStateException("too many: " + size);
      }
      values = Arrays.copyOf(values, (int) Math.min(LARGEST, size + (size >> 1) + 1L));
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  int get(int i) {
    return values[i];
  }

  int[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
