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
  static final int USED = 1;
  static final int FIRST = 2;
  static final int ENTRIES = (1 << SHIFT) - FIRST;

  /** Elements below can be on a list. */
  static final long REACH = 1L << 35;

  /** Segments of a chunk (log2): 4 KiB. */
  private static final int CHUNK_SHIFT = 5;

  /** The words of segment 0, at 0: it is full, so that who adds takes another. */
  static final int[] NONE = {0, ENTRIES};

  private int[][] chunks = new int[0][];
  private int count;
  private int free;
  private int bound = 1;

  /** Takes an empty segment. */
  int take() {
    int s = free;
    if (s == 0) {
      s = bound++;
      makeRoom(s >> CHUNK_SHIFT);
    } else {
      free = words(s)[at(s)];
    }
    words(s)[at(s)] = 0;
    words(s)[at(s) + USED] = 0;
    return s;
  }

  private void makeRoom(int chunk) {
    if (chunk == chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(1, chunk * 2));
    }
    if (chunk == count) {
      chunks[chunk] = new int[1 << CHUNK_SHIFT << SHIFT];
      count++;
    }
  }

  void give(int segment) {
    words(segment)[at(segment)] = free;
    free = segment;
  }

  /** The chunk that a segment is in; it stays there. */
  int[] words(int segment) {
    return segment == 0 ? NONE : chunks[segment >> CHUNK_SHIFT];
  }

  /** Where it begins there. */
  static int at(int segment) {
    return (segment & ((1 << CHUNK_SHIFT) - 1)) << SHIFT;
  }

  static int entry(long element) {
    return (int) (element >>> 3);
  }

  static long element(int entry) {
    return (entry & 0xFFFF_FFFFL) << 3;
  }
}
