package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;
import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.memory.Memory;
import java.util.Arrays;

/**
 * Counts the frames' records that the slots reach, up to a bound or all, and leaves all as it is.
 *
 * <p>A record is marked while it counts by a generation in its header, which no young one has. What
 * was marked is both the queue of a search breadth first and the list of what is to be unmarked.
 */
final class Liveness {
  private static final long MARKED = 1L << GENERATION_SHIFT;

  /** Entries of the list that are kept for the next look: more may be a sixth of the region. */
  private static final int KEPT = 4096;

  private final Memory memory;
  private final YoungFrames young;

  /** Made once: to link code in the midst of a change takes much of the Java stack. */
  private final Scanner.Visitor visitPlace = this::visitPlace;

  private long[] marked = new long[64];
  private int count;

  Liveness(Memory memory, YoungFrames young) {
    this.memory = memory;
    this.young = young;
  }

  /** Whether there are so many. */
  boolean isAtLeast(long bound) {
    count = 0;
    try {
      search(bound);
      return count >= bound;
    } finally {
      unmark();
    }
  }

  /** Counts the bytes of all of them. */
  long bytes() {
    count = 0;
    long words = 0;
    try {
      search(Long.MAX_VALUE);
      for (int i = 0; i < count; i++) {
        words += ((memory.get(marked[i]) & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT) + 1;
      }
    } finally {
      unmark();
    }
    return words << 3;
  }

  private void search(long bound) {
    long at = young.stackStart() + young.base(0);
    for (long end = young.stackTop(); at < end && count < bound; at += 8) {
      visit(memory.get(at));
    }
    young.forEachCall(visitPlace);
    for (int next = 0; next < count && count < bound; next++) {
      scan(marked[next]);
    }
  }

  private void unmark() {
    for (int i = 0; i < count; i++) {
      long e = marked[i];
      memory.put(e, memory.get(e) & Layout.LOW_MASK);
    }
    if (marked.length > KEPT) {
      marked = new long[64];
    }
  }

  private void scan(long e) {
    long h = memory.get(e);
    scan(e + Layout.WORD, Scanner.end(memory, e, h));
    if (Layout.kind(h) == Layout.OBJECT) {
      scan(
          Scanner.blockStart(memory, e, Layout.OBJECT, 0),
          Scanner.blockEnd(memory, e, Layout.OBJECT, 0));
    }
  }

  private void scan(long from, long end) {
    for (long at = from; at < end; at += 8) {
      visit(memory.get(at));
    }
  }

  private void visitPlace(long place) {
    visit(memory.get(place));
  }

  private void visit(long value) {
    if ((value & NOT_REFERENCE) != 0 || !young.contains(value)) {
      return;
    }
    long h = memory.get(value);
    if (h >>> GENERATION_SHIFT == 0) {
      if (count == marked.length) {
        marked = Arrays.copyOf(marked, count * 2);
      }
      memory.put(value, h | MARKED);
      marked[count++] = value;
    }
  }
}
