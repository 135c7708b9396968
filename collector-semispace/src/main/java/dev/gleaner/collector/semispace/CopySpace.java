package dev.gleaner.collector.semispace;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.PageAllocator;
import dev.gleaner.space.RawSpace;
import java.util.Arrays;

/**
 * Elements of some kinds side by side in chunks.
 *
 * <pre>
 *   chunk   | element | element | gap | element | … top            end |
 *   gap     | header of kind {@link Layout#FREE} that says how long it is | zeros |
 * </pre>
 *
 * <p>Only the last chunk is filled: {@code top} and {@code end} are its. Chunks grow from 1 KiB to
 * 1 MiB, so that a small heap stays small. Gaps are the rests of buffers ({@link KindBuffers});
 * where a collection copied to there are none. The same chunks are the queue of Cheney's scan:
 * {@link #scan} runs behind {@link #top}.
 */
final class CopySpace {
  private static final long SMALLEST = PageAllocator.PAGE;
  private static final long LARGEST = 1 << 20;

  private final RawSpace raw;
  private final Memory memory;
  private final PageSet pages;
  private long[] starts = new long[2];
  private long[] tops = new long[2];
  private long[] ends = new long[2];
  private int chunks;
  private long taken;

  /** Bytes below the tops of all chunks but the last. */
  private long filled;

  /** Where the last chunk is filled, and its end; 0 without chunks. */
  long top;

  long end;

  /** How far is scanned, in chunk {@link #scanned}. */
  private long scan;

  private int scanned = -1;

  /**
   * Makes an empty space.
   *
   * @param pages is told of the pages that its chunks take
   */
  CopySpace(RawSpace raw, PageSet pages) {
    this.pages = pages;
    this.raw = raw;
    this.memory = raw.memory();
  }

  /** Takes so many bytes of the last chunk, which has them; they may hold anything. */
  long take(long bytes) {
    long at = top;
    top = at + bytes;
    return at;
  }

  /** Bytes that the last chunk has left. */
  long left() {
    return end - top;
  }

  /** Leaves unused what the last chunk has left. */
  void seal() {
    end = top;
  }

  /** Bytes of all chunks. */
  long taken() {
    return taken;
  }

  /** How large the next chunk is to be, if there is no want of pages. */
  long nextChunk() {
    return Long.highestOneBit(Math.clamp(taken, SMALLEST, LARGEST));
  }

  /** Starts a chunk for copies, of a page if need be. */
  void addCopies() {
    long size = nextChunk();
    while (!addChunk(size)) {
      size >>= 1;
      if (size < SMALLEST) {
        throw new IllegalStateException("no page for copies, though pages are kept for all");
      }
    }
  }

  /** Starts a chunk of so many bytes, in whole pages, if there are any. */
  boolean addChunk(long size) {
    long start = raw.takePages(size);
    if (start == 0) {
      return false;
    }
    if (chunks == starts.length) {
      starts = Arrays.copyOf(starts, chunks * 2);
      tops = Arrays.copyOf(tops, chunks * 2);
      ends = Arrays.copyOf(ends, chunks * 2);
    }
    if (chunks > 0) {
      tops[chunks - 1] = top;
      filled += top - starts[chunks - 1];
    }
    pages.add(start, size);
    starts[chunks] = start;
    ends[chunks] = start + size;
    top = start;
    end = start + size;
    taken += size;
    chunks++;
    return true;
  }

  private long top(int chunk) {
    return chunk == chunks - 1 ? top : tops[chunk];
  }

  // ---- the queue of a collection ----

  /** Where the scan goes on, or 0 if all is scanned. */
  long scan() {
    while (scanned < 0 || scan == top(scanned)) {
      if (scanned == chunks - 1) {
        return 0;
      }
      scan = starts[++scanned];
    }
    return scan;
  }

  /** How far the scan can go on from {@link #scan()}. */
  long scanEnd() {
    return top(scanned);
  }

  void setScan(long at) {
    scan = at;
  }

  // ---- the whole ----

  /** Calls back for each element. */
  void forEach(OffsetVisitor visitor) {
    for (int c = 0; c < chunks; c++) {
      long chunkTop = top(c);
      for (long at = starts[c]; at < chunkTop; ) {
        long header = memory.get(at);
        long next = at + ((Layout.payloadWords(memory, at, header) + 1) << 3);
        if (Layout.kind(header) != Layout.FREE) {
          visitor.visit(at);
        }
        at = next;
      }
    }
  }

  /** Bytes below the tops. */
  long bytes() {
    return chunks == 0 ? 0 : filled + top - starts[chunks - 1];
  }

  /** Fills all chunks with a word, so that whoever still looks gets no element. */
  void fill(long word) {
    for (int c = 0; c < chunks; c++) {
      for (long at = starts[c]; at < ends[c]; at += 8) {
        memory.put(at, word);
      }
    }
  }

  /** Gives all chunks back. */
  void clear() {
    for (int c = 0; c < chunks; c++) {
      raw.givePages(starts[c], ends[c] - starts[c]);
    }
    chunks = 0;
    taken = 0;
    filled = 0;
    top = 0;
    end = 0;
    scan = 0;
    scanned = -1;
  }

  /** Told of a chunk. */
  @FunctionalInterface
  interface ChunkVisitor {
    void chunk(long start, long end);
  }

  void forEachChunk(ChunkVisitor visitor) {
    for (int c = 0; c < chunks; c++) {
      visitor.chunk(starts[c], ends[c]);
    }
  }
}
