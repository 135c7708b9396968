package dev.gleaner.collector.semispace;

import dev.gleaner.memory.Memory;
import dev.gleaner.space.PageAllocator;
import java.util.Arrays;

/**
 * Gives the pages of the half that was left back to the operating system, but for about as many
 * bytes as live: so many the next collection will write, and it takes the lowest ones.
 *
 * <p>So what is resident after a collection is twice what lives and a little more: a 32nd, but 8
 * MiB in a small heap, where the page faults would cost more than the memory is worth. Of long
 * parts whole huge pages are given back, which need not be split then. All of it is free to any use
 * of the heap's meanwhile. Where memory is grown nothing can be given back.
 */
final class IdlePages {
  private static final long HUGE_PAGE = 2 << 20;

  /** From here on the ends of a part do not count. */
  private static final long LONG = 32 << 20;

  /** Less is not worth a call. */
  private static final long LEAST = 256 << 10;

  private static final long LEAST_SPARE = 8 << 20;

  private final Memory memory;
  private final CopySpace.ChunkVisitor add = this::add;

  /** First page and number of pages, 32 bits each. */
  private long[] parts = new long[4];

  private int count;

  IdlePages(Memory memory) {
    this.memory = memory;
  }

  /** Adds all chunks of a half. */
  void add(CopySpaces half) {
    half.forEachChunk(add);
  }

  private void add(long start, long end) {
    if (count == parts.length) {
      parts = Arrays.copyOf(parts, count * 2);
    }
    parts[count++] =
        start >>> PageAllocator.PAGE_SHIFT << 32 | (end - start) >>> PageAllocator.PAGE_SHIFT;
  }

  /** Gives back what was added but for what the next collection will need of it. */
  void release(long live) {
    if (memory.isReserved()) {
      Arrays.sort(parts, 0, count);
      long left = live + Math.max(live >> 5, LEAST_SPARE);
      long from = 0;
      long to = 0;
      for (int i = 0; i < count; i++) {
        long start = parts[i] >>> 32 << PageAllocator.PAGE_SHIFT;
        long end = start + ((parts[i] & 0xFFFF_FFFFL) << PageAllocator.PAGE_SHIFT);
        long kept = Math.min(left, end - start);
        left -= kept;
        start += kept;
        if (start != to) {
          release(from, to);
          from = start;
        }
        to = end;
      }
      release(from, to);
    }
    count = 0;
  }

  private void release(long from, long to) {
    long step = to - from < LONG ? memory.pageSize() : Math.max(HUGE_PAGE, memory.pageSize());
    long first = (from + step - 1) & -step;
    long bytes = (to & -step) - first;
    if (bytes >= LEAST) {
      memory.release(first, bytes);
    }
  }
}
