package dev.gleaner.policy;

/** A set of words of a heap's memory, by their offsets: a bit for each where there are any. */
public final class OffsetSet {
  private static final int WORDS_SHIFT = 5;

  /** A number for 32 words at an offset that is a 32nd of theirs. */
  private final OffsetCounts bits = new OffsetCounts();

  /** Whether the word at an offset is in the set. */
  public boolean contains(long offset) {
    return (bits.get(group(offset)) >>> (offset >>> 3) & 1) != 0;
  }

  /** Adds the word at an offset; false if it was there. */
  public boolean add(long offset) {
    boolean isNew = !contains(offset);
    if (isNew) {
      int _ = bits.add(group(offset), 1 << (offset >>> 3));
    }
    return isNew;
  }

  /** Removes the word at an offset, if it is there. */
  public void remove(long offset) {
    if (contains(offset)) {
      int _ = bits.add(group(offset), -(1 << (offset >>> 3)));
    }
  }

  private static long group(long offset) {
    return offset >>> 3 + WORDS_SHIFT << 3;
  }
}
