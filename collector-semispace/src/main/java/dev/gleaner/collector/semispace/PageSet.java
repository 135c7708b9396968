package dev.gleaner.collector.semispace;

import dev.gleaner.space.PageAllocator;
import java.util.Arrays;

/** A set of pages of the heap's memory, a bit each. */
final class PageSet {
  private long[] bits = new long[1];

  /** Adds the pages of a part. */
  void add(long start, long bytes) {
    int from = (int) (start >>> PageAllocator.PAGE_SHIFT);
    int to = (int) ((start + bytes) >>> PageAllocator.PAGE_SHIFT);
    if ((to >>> 6) >= bits.length) {
      bits = Arrays.copyOf(bits, Math.max((to >>> 6) + 1, bits.length * 2));
    }
    for (int page = from; page < to; ) {
      int stop = Math.min(to, ((page >>> 6) + 1) << 6);
      bits[page >>> 6] |= (-1L << page) & (-1L >>> -stop);
      page = stop;
    }
  }

  boolean contains(long offset) {
    int page = (int) (offset >>> PageAllocator.PAGE_SHIFT);
    return (page >>> 6) < bits.length && (bits[page >>> 6] >>> page & 1) != 0;
  }

  void clear() {
    Arrays.fill(bits, 0);
  }
}
