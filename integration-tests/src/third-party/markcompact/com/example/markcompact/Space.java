package com.example.markcompact;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.Releaser;
import java.util.Arrays;

/**
 * A bump space that slides: elements side by side in chunks of pages.
 *
 * <pre>
 *   chunk 0  | e | e | e | … top  end |      chunk 1  | e | e | … top      end |      …
 *
 *   forward    each live element's new place, in its header: the first free one from chunk 0 on
 *   slide      moves them; what is above the new tops is free, empty chunks go back to the pages
 * </pre>
 *
 * <p>Invariant: a new place is never behind the old one, in the order of chunks and offsets. So
 * sliding in that order overwrites only what was moved already, or is dead. For by induction all
 * elements before one fit before it, and it fits where it is.
 *
 * <p>Pages are not charged to the heap's budget: the collector charges the elements.
 */
final class Space {
  /** In words. Larger elements lie elsewhere, so that each one here fits into every chunk. */
  static final int LARGEST = 512;

  private static final long SMALLEST_CHUNK = LARGEST * 8L;

  private final RawSpace raw;
  private final Memory memory;
  private final long largestChunk;
  private long[] starts = new long[4];
  private long[] tops = new long[4];
  private long[] ends = new long[4];
  private long[] newTops = new long[4];
  private int chunks;
  private long bytes;
  private final long[] byKind = new long[Layout.KINDS];

  Space(RawSpace raw, long largestChunk) {
    this.raw = raw;
    this.memory = raw.memory();
    this.largestChunk = largestChunk;
  }

  /** Takes memory for an element, cleared; 0 if there are no pages. */
  long allocate(int kind, long words) {
    long size = words << 3;
    int last = chunks - 1;
    if (last < 0 || ends[last] - tops[last] < size) {
      if (!addChunk(Math.clamp(bytes, SMALLEST_CHUNK, largestChunk)) && !addChunk(SMALLEST_CHUNK)) {
        return 0;
      }
      last = chunks - 1;
    }
    long element = tops[last];
    tops[last] += size;
    memory.zero(element, size);
    bytes += size;
    byKind[kind]++;
    return element;
  }

  private boolean addChunk(long atLeast) {
    long size = (atLeast + SMALLEST_CHUNK - 1) & -SMALLEST_CHUNK;
    long start = raw.takePages(size);
    if (start == 0) {
      return false;
    }
    if (start + size > Forwarding.REACH) {
      raw.givePages(start, size);
      return false;
    }
    if (chunks == starts.length) {
      starts = Arrays.copyOf(starts, chunks * 2);
      tops = Arrays.copyOf(tops, chunks * 2);
      ends = Arrays.copyOf(ends, chunks * 2);
      newTops = Arrays.copyOf(newTops, chunks * 2);
    }
    starts[chunks] = start;
    tops[chunks] = start;
    ends[chunks] = start + size;
    chunks++;
    return true;
  }

  /** Calls back for each element. */
  void forEach(OffsetVisitor visitor) {
    for (int c = 0; c < chunks; c++) {
      for (long e = starts[c]; e < tops[c]; ) {
        long next = e + size(e);
        visitor.visit(e);
        e = next;
      }
    }
  }

  /** Calls back for each element of a kind. */
  void forEach(int kind, OffsetVisitor visitor) {
    if (byKind[kind] > 0) {
      forEach(e -> {
        if (Layout.kind(memory.get(e)) == kind) {
          visitor.visit(e);
        }
      });
    }
  }

  private long size(long element) {
    return (Layout.payloadWords(memory, element, memory.get(element)) + 1) << 3;
  }

  /** Second pass: says in every marked element's header where it moves to, and frees the others. */
  void forward(MarkBits marks, Releaser releaser) {
    Arrays.fill(byKind, 0);
    bytes = 0;
    System.arraycopy(starts, 0, newTops, 0, chunks);
    int to = 0;
    for (int c = 0; c < chunks; c++) {
      for (long e = starts[c]; e < tops[c]; e += size(e)) {
        int kind = Layout.kind(memory.get(e));
        if (marks.get(e)) {
          long size = size(e);
          while (ends[to] - newTops[to] < size) {
            to++;
          }
          Forwarding.set(memory, e, newTops[to]);
          newTops[to] += size;
          bytes += size;
          byKind[kind]++;
        } else if (Layout.ownsResources(kind)) {
          releaser.release(kind, e);
        }
      }
    }
  }

  /** Fourth pass: moves the elements that have a new place, and gives empty chunks back. */
  void slide() {
    for (int c = 0; c < chunks; c++) {
      long next;
      for (long e = starts[c]; e < tops[c]; e = next) {
        long size = size(e);
        next = e + size;
        long to = Forwarding.get(memory, e);
        if (to != 0) {
          Forwarding.clear(memory, e);
          if (to != e) {
            memory.copy(e, to, size);
          }
        }
      }
    }
    int kept = 0;
    for (int c = 0; c < chunks; c++) {
      if (newTops[c] == starts[c]) {
        raw.givePages(starts[c], ends[c] - starts[c]);
        continue;
      }
      starts[kept] = starts[c];
      tops[kept] = newTops[c];
      ends[kept] = ends[c];
      kept++;
    }
    chunks = kept;
  }

  /** Bytes of the elements here. */
  long bytes() {
    return bytes;
  }

  /** Elements of a kind here. */
  long elements(int kind) {
    return byKind[kind];
  }

  /** Says what is wrong here, or null. */
  String verify() {
    for (int c = 0; c < chunks; c++) {
      long e = starts[c];
      while (e < tops[c]) {
        if (Forwarding.get(memory, e) != 0) {
          return "element " + e + " was left with a new place";
        }
        e += size(e);
      }
      if (e != tops[c]) {
        return "the last element of chunk " + c + " ends at " + e + ", not at " + tops[c];
      }
    }
    return null;
  }
}
