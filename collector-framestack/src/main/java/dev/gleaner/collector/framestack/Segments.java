package dev.gleaner.collector.framestack;

import java.util.Arrays;

/**
 * Storage for lists of elements, so that two lists are joined in constant time.
 *
 * <pre>
 *   segment of 32 ints:  next segment | entries used | element over 8 | element over 8 | …
 * </pre>
 *
 * Segment 0 is none. An element beyond {@link #REACH} has no entry.
 */
final class Segments {
  static final int SHIFT = 5;
  static final int NEXT = 0;
  static final int USED = 1;
  static final int FIRST = 2;
  static final int ENTRIES = (1 << SHIFT) - FIRST;

  /** Elements below can be on a list. */
  static final long REACH = 1L << 35;

  int[] words = new int[4 << SHIFT];
  private int free;
  private int bound = 1;

  int take() {
    int s = free;
    if (s != 0) {
      free = words[s << SHIFT];
    } else {
      s = bound++;
      if (bound << SHIFT > words.length) {
        words = Arrays.copyOf(words, words.length * 2);
      }
    }
    words[s << SHIFT] = 0;
    words[(s << SHIFT) + USED] = 0;
    return s;
  }

  void give(int segment) {
    words[segment << SHIFT] = free;
    free = segment;
  }

  static int entry(long element) {
    return (int) (element >>> 3);
  }

  static long element(int entry) {
    return (entry & 0xFFFF_FFFFL) << 3;
  }
}
