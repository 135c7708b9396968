package dev.gleaner.mark;

import java.util.Arrays;

/**
 * A set of words of a heap's memory, by their offsets: a bit a word, in parts for 64 KiB of memory
 * that are made when they are needed.
 */
public final class OffsetSet {
  private static final int PART_SHIFT = 16;
  private static final int PART_WORDS = 1 << (PART_SHIFT - 3 - 6);
  private static final long[] NONE = {};

  private long[][] parts = {};

  /** Makes an empty set. */
  public OffsetSet() {}

  /**
   * {@return whether the set has the word at an offset}
   *
   * @param offset any number; a set has multiples of 8 alone
   */
  public boolean contains(long offset) {
    long part = offset >>> PART_SHIFT;
    return (offset & 7) == 0
        && part < parts.length
        && parts[(int) part].length > 0
        && (parts[(int) part][word(offset)] & bit(offset)) != 0;
  }

  /**
   * Adds the word at an offset.
   *
   * @param offset a multiple of 8
   * @return false if it was there
   */
  public boolean add(long offset) {
    int part = Math.toIntExact(offset >>> PART_SHIFT);
    if (part >= parts.length) {
      int before = parts.length;
      long[][] more = Arrays.copyOf(parts, Math.max(part + 1, before * 2));
      Arrays.fill(more, before, more.length, NONE);
      parts = more;
    }
    if (parts[part].length == 0) {
      parts[part] = new long[PART_WORDS];
    }
    long[] words = parts[part];
    long old = words[word(offset)];
    words[word(offset)] = old | bit(offset);
    return (old & bit(offset)) == 0;
  }

  /**
   * Removes the word at an offset, if it is there.
   *
   * @param offset any number
   */
  public void remove(long offset) {
    if (contains(offset)) {
      parts[(int) (offset >>> PART_SHIFT)][word(offset)] &= ~bit(offset);
    }
  }

  private static int word(long offset) {
    return (int) (offset >>> 9) & (PART_WORDS - 1);
  }

  private static long bit(long offset) {
    return 1L << (offset >>> 3);
  }
}
