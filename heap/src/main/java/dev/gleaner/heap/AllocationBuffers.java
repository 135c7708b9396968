package dev.gleaner.heap;

import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.SizeClasses;
import org.jspecify.annotations.Nullable;

/** Takes cells that the collector has granted. */
final class AllocationBuffers {
  /** The length of an array that has one buffer, for all sizes. */
  private static final int ONE = 2;

  private AllocationBuffers() {}

  /**
   * Takes a cell from a free list if the collector has free lists, or else from a buffer.
   *
   * @param words header included, at least one
   * @return the cell; 0 if the caller must ask the collector
   */
  static long take(@Nullable FreeListSpace cells, long[] buffers, int kind, long words) {
    return cells != null ? cells.take(kind, words) : take(buffers, words);
  }

  /**
   * Takes a cell from a buffer.
   *
   * @param words header included, at least one
   * @return the cell, filled with zeros; 0 if the caller must ask the collector
   */
  static long take(long[] buffers, long words) {
    if (words > SizeClasses.EXACT) {
      return 0;
    }
    int c = buffers.length == ONE ? 0 : (int) words << 1;
    long e = buffers[c];
    long next = e + (words << 3);
    if (next > buffers[c + 1]) {
      return 0;
    }
    buffers[c] = next;
    return e;
  }
}
