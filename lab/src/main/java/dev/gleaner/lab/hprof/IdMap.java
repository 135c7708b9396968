package dev.gleaner.lab.hprof;

import java.util.SplittableRandom;

/**
 * A map of objects' identifiers to their numbers, 16 bytes an object at the size it is made for.
 *
 * <p>Open addressing with linear probing in two arrays, at most three quarters full. The capacity
 * need not be a power of two: a hash picks its place by the high half of a product.
 *
 * <pre>
 *   ids      | 7f0a… | 0 | 7f12… | …     any identifier may be a key
 *   numbers  |   3   | 0 |   1   | …     number + 1; 0: the place is free
 * </pre>
 */
final class IdMap {
  /** Random, so that no file can choose identifiers that all take one place. */
  private static final long MIX = new SplittableRandom().nextLong() | 1;

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private long[] ids;
  private int[] numbers;
  private int size;
  private int mostEntries;

  /**
   * Makes a map.
   *
   * @param expected entries; with more it grows by copying
   */
  IdMap(int expected) {
    mostEntries = Math.max(16, expected);
    int capacity = capacity(mostEntries);
    ids = new long[capacity];
    numbers = new int[capacity];
  }

  /** Adds an identifier, or replaces its number. */
  void put(long id, int number) {
    int place = place(id);
    if (numbers[place] == 0) {
      if (size == mostEntries) {
        grow();
        place = place(id);
      }
      size++;
      ids[place] = id;
    }
    numbers[place] = number + 1;
  }

  /** Returns the number, or -1 if the identifier is not there. */
  int get(long id) {
    return numbers[place(id)] - 1;
  }

  private int place(long id) {
    long hash = id * MIX;
    int place = (int) Math.unsignedMultiplyHigh(hash ^ (hash >>> 32), ids.length);
    while (numbers[place] != 0 && ids[place] != id) {
      place = place + 1 == ids.length ? 0 : place + 1;
    }
    return place;
  }

  private static int capacity(int entries) {
    return (int) Math.min(LARGEST, entries + entries / 3L + 1);
  }

  private void grow() {
    long[] oldIds = ids;
    int[] oldNumbers = numbers;
    mostEntries = (int) Math.min(LARGEST / 4 * 3L, 2L * mostEntries);
    if (size >= mostEntries) {
      throw new IllegalStateException("too many objects: " + size);
    }
    int capacity = capacity(mostEntries);
    ids = new long[capacity];
    numbers = new int[capacity];
    for (int i = 0; i < oldIds.length; i++) {
      if (oldNumbers[i] != 0) {
        int place = place(oldIds[i]);
        ids[place] = oldIds[i];
        numbers[place] = oldNumbers[i];
      }
    }
  }
}
