package dev.gleaner.policy;

import dev.gleaner.heap.HeapUsageException;
import java.util.Arrays;

/**
 * The plain blocks that a program has: where each begins, a bit a word, in parts of 64 KiB that are
 * made when they are needed. The allocator knows which cells are in use, but not for whom: a block
 * that was freed may be a property table by now, and is none to free again.
 */
public final class PlainBlocks {
  private static final int PART_SHIFT = 16;
  private static final int PART_WORDS = 1 << (PART_SHIFT - 3 - 6);
  private static final long[] NONE = new long[0];

  private long[][] parts = new long[0][];

  /** Notes a block that was handed out. */
  public void add(long block) {
    int part = (int) (block >>> PART_SHIFT);
    if (part >= parts.length) {
      int old = parts.length;
      parts = Arrays.copyOf(parts, Math.max(part + 1, old * 2));
      Arrays.fill(parts, old, parts.length, NONE);
    }
    if (parts[part].length == 0) {
      parts[part] = new long[PART_WORDS];
    }
    parts[part][word(block)] |= 1L << (block >>> 3);
  }

  /** Forgets a block. */
  public void remove(long block) {
    parts[(int) (block >>> PART_SHIFT)][word(block)] &= ~(1L << (block >>> 3));
  }

  /**
   * Refuses what is no block of the program's; 0 is none, and in order.
   *
   * @throws HeapUsageException if it was freed, is another heap's, or lies inside a block
   */
  public void check(long block) {
    if (block != 0 && !contains(block)) {
      throw new HeapUsageException("not a block of this heap's allocator: " + block);
    }
  }

  private boolean contains(long block) {
    long part = block >>> PART_SHIFT;
    return (block & 7) == 0
        && part < parts.length
        && parts[(int) part].length > 0
        && (parts[(int) part][word(block)] >>> (block >>> 3) & 1) != 0;
  }

  private static int word(long block) {
    return (int) (block >>> 9) & (PART_WORDS - 1);
  }
}
