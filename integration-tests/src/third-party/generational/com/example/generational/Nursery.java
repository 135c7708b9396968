package com.example.generational;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.Space;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;

/**
 * Where small elements are born, and where they are when they have survived one collection.
 *
 * <pre>
 *   | survivors A | nursery: chunk | chunk | chunk | … | survivors B |
 *
 *   collected are the nursery and the survivors of the last collection, which lie side by side:
 *     A and nursery, copied to B         then nursery and B, copied to A         and so on
 * </pre>
 *
 * <p>So two comparisons tell whether an element is young, or is to be copied. A chunk has elements
 * of one kind and size, through which the heap bumps; it is cleared when it is taken. Survivors of
 * all kinds lie side by side.
 *
 * <p>What is granted is charged to the budget; {@link #retire} gives the rest of each run back.
 */
final class Nursery implements Space, Budget.Advances {
  private static final long SMALLEST_CHUNK = 1 << 10;
  private static final long LARGEST_CHUNK = 8 << 10;
  private static final int CHUNKS = 256;

  /** Survivor space over the nursery's. */
  private static final int SURVIVORS_SHIFT = 2;

  private static final int LARGEST = RawSpace.MOST_COPIED;

  private final Memory memory;
  private final Budget budget;
  private final AllocationGate gate;
  private final long survivorBytes;
  private final long start;
  private final long end;
  private final long chunkBytes;

  /** Of kind k: [2c] the bump offset for cells of c words, [2c + 1] the end of what is granted. */
  private final long[][] runs = new long[Layout.KINDS][];

  /** Of kind k, for cells of c words: the end of the chunk that is filled, 0 for none. */
  private final long[][] chunkEnd = new long[Layout.KINDS][];

  /** What each chunk has: the kind, and the words of a cell. */
  private final byte[] kinds;

  private final byte[] words;
  private int chunks;
  private final int most;
  private final long[] elements = new long[Layout.KINDS];
  private long charged;
  private long allocatedElements;
  private long allocatedBytes;

  /** Whether the survivors of the last collection are in A. */
  private boolean low = true;

  /** The survivors end here. */
  private long survivorTop;

  /** Makes the nursery; {@link #hasRoom} says whether there was memory for it. */
  Nursery(HeapContext context, long wanted) {
    memory = context.memory();
    budget = context.budget();
    gate = context.gate();
    long bytes = Math.clamp(budget.max() >> 3, 4 * SMALLEST_CHUNK, wanted);
    chunkBytes = Math.clamp(Long.highestOneBit(bytes / CHUNKS), SMALLEST_CHUNK, LARGEST_CHUNK);
    long nursery = bytes / chunkBytes * chunkBytes;
    long survivors = Math.max(SMALLEST_CHUNK, nursery >> SURVIVORS_SHIFT) & -SMALLEST_CHUNK;
    long at = context.hasUserFunctions() ? 0 : context.raw().takePages(nursery + 2 * survivors);
    survivorBytes = survivors;
    start = at + survivors;
    end = start + nursery;
    most = at == 0 ? 0 : (int) (nursery / chunkBytes);
    kinds = new byte[most];
    words = new byte[most];
    survivorTop = at;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      runs[kind] = new long[2 * (LARGEST + 1)];
      chunkEnd[kind] = new long[LARGEST + 1];
    }
  }

  boolean hasRoom() {
    return most > 0;
  }

  long[] runs(int kind) {
    return runs[kind];
  }

  /** Where what is young begins. */
  long youngStart() {
    return low ? start - survivorBytes : start;
  }

  /** The bytes of the nursery and the survivors' space beside it. */
  long youngBytes() {
    return end - start + survivorBytes;
  }

  /** Where the survivors of this collection go. */
  long survivorsTo() {
    return low ? end : start - survivorBytes;
  }

  long survivorBytes() {
    return survivorBytes;
  }

  /** Where elements are born. */
  long start() {
    return start;
  }

  /** The bytes from there on. */
  long bytesToBear() {
    return end - start;
  }

  // ---- allocation ----

  /**
   * Takes an element.
   *
   * @return the element, 0 if the budget says no, or -1 if the nursery is full
   */
  long allocate(int kind, int c) {
    int bytes = c << 3;
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        return 0;
      }
      budget.refund(bytes);
    }
    long[] run = runs[kind];
    long at = run[2 * c];
    if (at + bytes > run[2 * c + 1]) {
      if (at + bytes > chunkEnd[kind][c]) {
        if (chunks == most) {
          return -1;
        }
        at = newChunk(kind, c, bytes);
      }
      long n = Math.min((chunkEnd[kind][c] - at) / bytes, budget.remaining() / bytes);
      n = Math.max(1, Math.min(n, hasRuns(kind) ? gate.grant() : 1));
      run[2 * c] = at;
      run[2 * c + 1] = at + n * bytes;
      boolean within = budget.charge(n * bytes);
      assert within;
      count(kind, n, n * bytes);
    }
    run[2 * c] = at + bytes;
    return at;
  }

  private static boolean hasRuns(int kind) {
    return kind == Layout.RECORD || kind == Layout.OBJECT || kind == Layout.STRING;
  }

  private long newChunk(int kind, int c, int bytes) {
    long at = start + chunks * chunkBytes;
    kinds[chunks] = (byte) kind;
    words[chunks] = (byte) c;
    chunks++;
    memory.zero(at, chunkBytes);
    chunkEnd[kind][c] = at + chunkBytes / bytes * bytes;
    return at;
  }

  private void count(int kind, long n, long bytes) {
    gate.trigger().decrease(n);
    elements[kind] += n;
    charged += bytes;
    allocatedElements += n;
    allocatedBytes += bytes;
  }

  /** Gives back what is granted and not used. */
  @Override
  public void retire() {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      long[] run = runs[kind];
      for (int c = 1; c <= LARGEST; c++) {
        long unused = run[2 * c + 1] - run[2 * c];
        if (unused > 0) {
          budget.refund(unused);
          count(kind, -unused / (c << 3), -unused);
          run[2 * c + 1] = run[2 * c];
        }
      }
    }
  }

  /** Bytes that are granted and not used. */
  @Override
  public long unusedBytes() {
    long n = 0;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      n += unusedBytes(kind);
    }
    return n;
  }

  private long unusedBytes(int kind) {
    long n = 0;
    long[] run = runs[kind];
    for (int c = 1; c <= LARGEST; c++) {
      n += run[2 * c + 1] - run[2 * c];
    }
    return n;
  }

  private long unusedElements(int kind) {
    long n = 0;
    long[] run = runs[kind];
    for (int c = 1; c <= LARGEST; c++) {
      n += (run[2 * c + 1] - run[2 * c]) / (c << 3);
    }
    return n;
  }

  // ---- a collection ----

  /** Takes what is here out of the budget: it is charged again where it survives. */
  void refund() {
    budget.notePeak();
    budget.refund(charged);
    charged = 0;
  }

  /**
   * Empties what was collected.
   *
   * @param top where the new survivors end
   * @param survivors how many there are of each kind
   */
  void flip(long top, long[] survivors) {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      Arrays.fill(runs[kind], 0);
      Arrays.fill(chunkEnd[kind], 0);
      elements[kind] = survivors[kind];
    }
    chunks = 0;
    charged = top - survivorsTo();
    boolean within = budget.charge(charged);
    assert within;
    survivorTop = top;
    low = !low;
  }

  /** Fills what is not used with a word, so that whoever still looks gets no element. */
  void fill(long word) {
    fill(start, end, word);
    fill(survivorsTo(), survivorsTo() + survivorBytes, word);
  }

  private void fill(long from, long to, long word) {
    for (long at = from; at < to; at += 8) {
      memory.put(at, word);
    }
  }

  // ---- the whole ----

  /** Bytes of the elements here. */
  long bytes() {
    return charged - unusedBytes();
  }

  @Override
  public long elements(int kind) {
    return elements[kind] - unusedElements(kind);
  }

  @Override
  public long allocatedElements() {
    long n = allocatedElements;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      n -= unusedElements(kind);
    }
    return n;
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes - unusedBytes();
  }

  /** Calls back for each element. */
  @Override
  public void forEach(OffsetVisitor visitor) {
    retire();
    forEachSurvivor(visitor);
    for (int chunk = 0; chunk < chunks; chunk++) {
      forEachIn(chunk, visitor);
    }
  }

  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    forEach(e -> {
      if (Layout.kind(memory.get(e)) == kind) {
        visitor.visit(e);
      }
    });
  }

  @Override
  public void giveBack() {
    retire();
  }

  /** Calls back for each string, and for each element that owns something; and for some others. */
  void forEachWithin(OffsetVisitor visitor) {
    forEachSurvivor(visitor);
    for (int chunk = 0; chunk < chunks; chunk++) {
      if (kinds[chunk] == Layout.STRING || Layout.ownsResources(kinds[chunk])) {
        forEachIn(chunk, visitor);
      }
    }
  }

  private void forEachIn(int chunk, OffsetVisitor visitor) {
    int bytes = words[chunk] << 3;
    long from = start + chunk * chunkBytes;
    long full = from + chunkBytes / bytes * bytes;
    boolean filled = chunkEnd[kinds[chunk]][words[chunk]] == full;
    long to = filled ? runs[kinds[chunk]][2 * words[chunk]] : full;
    for (long at = from; at < to; at += bytes) {
      visitor.visit(at);
    }
  }

  private void forEachSurvivor(OffsetVisitor visitor) {
    for (long at = low ? start - survivorBytes : end; at < survivorTop; ) {
      long next = at + ((Layout.payloadWords(memory, at, memory.get(at)) + 1) << 3);
      visitor.visit(at);
      at = next;
    }
  }
}
