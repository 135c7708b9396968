package com.example.immix;

import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.HeapContext;

/**
 * One bit for every line of the heap's memory: whether a live element is on it.
 *
 * <pre>
 *   memory   | line: 256 bytes | line | line | …
 *   bits     | 1               | 0    | 1    | …      {@link MarkBits} has one for every 8 bytes of
 *                                                     a memory, here of one with 8 bytes a line
 * </pre>
 *
 * <p>Pages begin with a line. So a line has one number whatever block it is in, and no map leads
 * from an element to its block.
 */
final class Lines implements AutoCloseable {
  private static final int SHIFT = 8;

  /** Bytes of a line. */
  static final int LINE = 1 << SHIFT;

  private final MarkBits bits;

  Lines(HeapContext context) {
    bits = new MarkBits(of(context.regionBytes()) + 8, context.memory().isReserved());
  }

  private static long of(long offset) {
    return offset >>> SHIFT << 3;
  }

  /** Makes the bits of the first bytes of the heap accessible. */
  boolean ensure(long bytes) {
    return bits.ensure(of(bytes) + 8);
  }

  void clear(long bytes) {
    bits.clearAll(of(bytes) + 8);
  }

  /** Marks the lines of an element, which has at most a line's bytes. */
  void mark(long element, long bytes) {
    bits.set(of(element));
    bits.set(of(element + bytes - 1));
  }

  /** The first line in a part of memory that is free, or the part's end. */
  long nextFree(long from, long to) {
    long at = from;
    while (at < to && bits.get(of(at))) {
      at += LINE;
    }
    return at;
  }

  /** The first line in a part of memory that is not free, or the part's end. */
  long nextUsed(long from, long to) {
    return bits.next(of(from), of(to)) >>> 3 << SHIFT;
  }

  @Override
  public void close() {
    bits.close();
  }
}
