package dev.gleaner.space;

import dev.gleaner.memory.Memory;

/**
 * One bit for every 8 bytes of a heap's memory, in a region of its own: 1/64 of the heap, so that
 * the mark state of a large heap stays in the cache.
 *
 * <pre>
 *   bit of offset e:  word (e >>> 9), bit (e >>> 3) mod 64
 * </pre>
 */
public final class MarkBits implements AutoCloseable {
  public static final int WORD_SHIFT = 9;

  /** The bytes of bits for a part of the pages. */
  private static final int PART_SHIFT = PageAllocator.PART_SHIFT + PageAllocator.PAGE_SHIFT - 6;

  private static final long INITIAL = 512;
  private static final long LARGEST_GROWN = 64 << 10;

  private final long limit;
  private final boolean reserve;

  private Memory bits;

  /** Bytes of the heap beyond which no bit was set since all were cleared. */
  private long usedBytes;

  /** When all bits were cleared last, by {@link #clear(PageAllocator)}. */
  private long cleared;

  /** The part that {@link #clearUntil} goes on with. */
  private int nextPart;

  /** Makes the bits, all clear, for a memory of at most {@code bytes}. */
  public MarkBits(long bytes, boolean reserve) {
    limit = (bytes >>> 6) + 8;
    this.reserve = reserve;
    bits = Memory.openBeside(limit, INITIAL, false);
  }

  /** The region; {@link #ensure} replaces it, so nobody keeps it across what allocates. */
  public Memory region() {
    return bits;
  }

  /** Makes the bits of the first {@code bytes} of the heap accessible. */
  public boolean ensure(long bytes) {
    long want = (bytes >>> 6) + 8;
    if (reserve && !bits.isReserved() && want > LARGEST_GROWN) {
      Memory larger = Memory.openBeside(limit, INITIAL, true);
      if (larger.isReserved()) { // many small heaps need no mapping for their bits, large ones do
        larger.copyFrom(bits, 0, 0, bits.size());
        bits.close();
        bits = larger;
      } else {
        larger.close();
      }
    }
    return bits.ensure(want);
  }

  public boolean get(long offset) {
    return (bits.get(offset >>> WORD_SHIFT << 3) >>> (offset >>> 3) & 1) != 0;
  }

  /** As {@link #get}, for an offset that may be beyond what {@link #ensure} was told. */
  public boolean isSet(long offset) {
    return offset >= 0 && offset < usedBytes && get(offset);
  }

  public void set(long offset) {
    long at = offset >>> WORD_SHIFT << 3;
    bits.put(at, bits.get(at) | 1L << (offset >>> 3));
    if (offset >= usedBytes) {
      usedBytes = offset + 1;
    }
  }

  /** A marker will set bits of the first {@code bytes} of the heap, in the region itself. */
  public void use(long bytes) {
    usedBytes = Math.max(usedBytes, bytes);
  }

  public void clear(long offset) {
    long at = offset >>> WORD_SHIFT << 3;
    bits.put(at, bits.get(at) & ~(1L << (offset >>> 3)));
  }

  /**
   * Clears all bits.
   *
   * @param bytes of the heap as it is now, which may have been larger
   */
  public void clearAll(long bytes) {
    long used = Math.max(usedBytes, bytes);
    bits.zero(0, Math.min(bits.size(), (used >>> 6) + 8) & -8L);
    usedBytes = 0;
  }

  /**
   * Clears all bits of what lies in pages, or has lain there since this was called last: where
   * memory is not used any more, nothing was marked.
   */
  public void clear(PageAllocator pages) {
    boolean done = clearUntil(pages, Long.MAX_VALUE);
    assert done;
  }

  /**
   * Does the same in parts. No bit may be set until all are clear.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether all bits are clear
   */
  public boolean clearUntil(PageAllocator pages, long deadline) {
    long end = Math.min(bits.size(), (usedBytes >>> 6) + 8) & -8L;
    int p = usedBytes == 0 ? -1 : pages.partInUse(nextPart, cleared);
    while (p >= 0) {
      long from = (long) p << PART_SHIFT;
      bits.zero(from, Math.max(0, Math.min(end - from, 1L << PART_SHIFT)));
      p = pages.partInUse(p + 1, cleared);
      if (p >= 0 && deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        nextPart = p;
        return false;
      }
    }
    nextPart = 0;
    usedBytes = 0;
    cleared = pages.tick();
    return true;
  }

  /** Takes over other bits for the first {@code bytes} of the heap. */
  public void copy(Memory from, long bytes) {
    use(bytes);
    bits.copyFrom(
        from, 0, 0, Math.min(Math.min(bits.size(), from.size()), (bytes >>> 6) + 8) & -8L);
  }

  /** The first marked offset in {@code from .. to}, or {@code to}. */
  public long next(long from, long to) {
    long word = from >>> WORD_SHIFT;
    long last = (to - 1) >>> WORD_SHIFT;
    long w = from < to ? bits.get(word << 3) & (-1L << (from >>> 3)) : 0;
    while (w == 0) {
      if (++word > last) {
        return to;
      }
      w = bits.get(word << 3);
    }
    return Math.min(to, (word << WORD_SHIFT) + ((long) Long.numberOfTrailingZeros(w) << 3));
  }

  /** The number of marks in a part that starts and ends at multiples of 512 bytes. */
  public int count(long from, long to) {
    int n = 0;
    long end = to >>> WORD_SHIFT << 3;
    for (long at = from >>> WORD_SHIFT << 3; at < end; at += 8) {
      n += Long.bitCount(bits.get(at));
    }
    return n;
  }

  @Override
  public void close() {
    bits.close();
  }
}
