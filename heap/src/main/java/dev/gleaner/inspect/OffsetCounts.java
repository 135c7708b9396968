package dev.gleaner.inspect;

import java.util.Arrays;

/**
 * A number for each word of a heap's memory, 0 at first. A chunk of numbers stands for 512 KiB, and
 * is made when its first number is set. So offsets may be as large as the address space.
 */
public final class OffsetCounts {
  private static final int CHUNK_SHIFT = 16;
  private static final int MASK = (1 << CHUNK_SHIFT) - 1;
  private static final int[] NONE = {};

  private int[][] chunks = {};

  /** Makes counts that are all 0. */
  public OffsetCounts() {}

  /**
   * {@return the number of the word at an offset}
   *
   * @param offset a multiple of 8
   */
  public int get(long offset) {
    long word = offset >>> 3;
    long chunk = word >>> CHUNK_SHIFT;
    if (chunk >= chunks.length) {
      return 0;
    }
    int[] c = chunks[(int) chunk];
    return c.length == 0 ? 0 : c[(int) word & MASK];
  }

  /**
   * Adds to the number of the word at an offset.
   *
   * @param offset a multiple of 8
   * @param n the number to add
   * @return the number before
   */
  public int add(long offset, int n) {
    long word = offset >>> 3;
    int chunk = Math.toIntExact(word >>> CHUNK_SHIFT);
    if (chunk >= chunks.length) {
      int before = chunks.length;
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, before * 2));
      Arrays.fill(chunks, before, chunks.length, NONE);
    }
    if (chunks[chunk].length == 0) {
      chunks[chunk] = new int[1 << CHUNK_SHIFT];
    }
    int at = (int) word & MASK;
    int old = chunks[chunk][at];
    chunks[chunk][at] = old + n;
    return old;
  }
}
