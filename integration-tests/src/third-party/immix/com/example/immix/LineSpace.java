package com.example.immix;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Cursor;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.Space;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * Small elements of all kinds and sizes side by side, in blocks of lines (Blackburn and McKinley
 * 2008, "Immix: A Mark-Region Garbage Collector").
 *
 * <pre>
 *   block   | line: live | hole: free lines    | live | live | hole | …      32 KiB at most
 *                        | run: e | e | at …   |
 * </pre>
 *
 * <p>Allocation bumps through a run, which fills a hole: first those of the blocks that are there,
 * then a new block, by one {@link Cursor} for all. An element has at most a line's bytes, so each
 * hole has room for one; what is left of a hole stays unused until the next collection.
 *
 * <p>Invariant: an element begins at an offset if it is marked, or if a walk by headers through one
 * of the runs since the last collection comes by it. A dead element is neither: nobody visits it,
 * unless it owns resources, or is a young string. Those are on lists.
 *
 * <p>Pages are not charged to the budget: elements are.
 */
final class LineSpace implements Space {
  /** In words. Larger elements lie elsewhere. */
  static final int LARGEST = Math.min(RawSpace.MOST_COPIED, Lines.LINE >> 3);

  private static final long SMALLEST_BLOCK = 1 << 10;
  private static final long LARGEST_BLOCK = 32 << 10;

  private final HeapContext context;
  private final RawSpace raw;
  private final Memory memory;
  private final Lines lines;
  private final MarkBits marks;

  private int blocks;
  private long[] starts = new long[4];
  private long[] ends = new long[4];

  /** Whether what is in a block moves to others. */
  private boolean[] leaving = new boolean[4];

  /** Where the next hole is looked for. */
  private int block;

  private long searched;

  /** The hole that was found last. */
  private long at;

  private long end;

  /** Where the mutator allocates. */
  private final Cursor cursor;

  /** Runs since the last collection; the last one ends at the cursor. */
  private int runs;

  private long[] runStarts = new long[4];
  private long[] runEnds = new long[4];

  /** Elements that own resources, the young ones last. */
  private final Offsets owners = new Offsets();

  private int oldOwners;

  /** Strings that are young, if there are minor collections. */
  private final Offsets youngStrings = new Offsets();

  private final boolean sticky;

  // What is marked.
  private long marked;
  private final long[] markedElements = new long[Layout.KINDS];

  // What the cursor had made, and what was charged, after the last collection.
  private long before;
  private final long[] elementsBefore = new long[Layout.KINDS];
  private long charged;

  /**
   * Makes an empty space.
   *
   * @param marks of the last collection
   * @param sticky whether there are minor collections
   */
  LineSpace(HeapContext context, MarkBits marks, boolean sticky) {
    this.context = context;
    this.raw = context.raw();
    this.memory = context.memory();
    this.marks = marks;
    this.sticky = sticky;
    this.lines = new Lines(context);
    this.cursor = new Cursor(memory, context.budget(), context.gate(), this::made);
    raw.endAt(Forwarding.REACH);
  }

  // ---- allocation ----

  long[] buffer() {
    return cursor.buffer();
  }

  /** Takes memory for an element, cleared and charged; 0 if the budget or the memory says no. */
  long allocate(long words) {
    if (!cursor.hasRoom(words) && !nextRun()) {
      return 0;
    }
    return cursor.allocate(words, context.builtins().isOpen());
  }

  private void made(int kind, long element) {
    if (kind != Layout.STRING) {
      owners.add(element);
    } else if (sticky) {
      youngStrings.add(element);
    }
  }

  private boolean nextRun() {
    endRun();
    if (!nextHole() && !addBlock()) {
      return false;
    }
    cursor.moveTo(at, end);
    if (runs == runStarts.length) {
      runStarts = Arrays.copyOf(runStarts, runs * 2);
      runEnds = Arrays.copyOf(runEnds, runs * 2);
    }
    runStarts[runs++] = at;
    return true;
  }

  private void endRun() {
    if (runs > 0) {
      runEnds[runs - 1] = cursor.next();
    }
  }

  @Override
  public void retire() {
    cursor.retire();
  }

  @Override
  public void updateFigures() {
    cursor.count();
  }

  /** Finds the next hole in the blocks that are there. */
  private boolean nextHole() {
    for (; block < blocks; block++, searched = 0) {
      long from = Math.max(searched, starts[block]);
      long hole = leaving[block] ? ends[block] : lines.nextFree(from, ends[block]);
      if (hole < ends[block]) {
        at = hole;
        end = lines.nextUsed(hole, ends[block]);
        searched = end;
        return true;
      }
    }
    return false;
  }

  private boolean addBlock() {
    long best = Math.clamp(marked + youngBytes() & -SMALLEST_BLOCK, SMALLEST_BLOCK, LARGEST_BLOCK);
    return addBlock(best) || addBlock(SMALLEST_BLOCK);
  }

  private boolean addBlock(long size) {
    long start = raw.takePages(size);
    if (start == 0) {
      return false;
    }
    if (!marks.ensure(raw.extent()) || !lines.ensure(raw.extent())) {
      raw.givePages(start, size);
      return false;
    }
    if (blocks == starts.length) {
      starts = Arrays.copyOf(starts, blocks * 2);
      ends = Arrays.copyOf(ends, blocks * 2);
      leaving = Arrays.copyOf(leaving, blocks * 2);
    }
    starts[blocks] = start;
    ends[blocks] = start + size;
    leaving[blocks] = false;
    block = blocks++;
    at = start;
    end = start + size;
    searched = end;
    return true;
  }

  // ---- a collection ----

  /** Begins a full marking: no line is marked. */
  void beginMarking() {
    marked = 0;
    Arrays.fill(markedElements, 0);
    lines.clear(raw.extent());
    oldOwners = 0;
  }

  /** Marks the lines of an element that is reached for the first time, and counts it. */
  void reached(int kind, long element, long size) {
    marked += size;
    markedElements[kind]++;
    lines.mark(element, size);
  }

  /** Makes the marks the truth: what is not marked is gone, in a minor collection of the young. */
  void sweep(boolean minor) {
    if (minor) {
      int _ = youngStrings.retain(0, marks::get, context::stringDied);
    }
    youngStrings.clear();
    oldOwners = owners.retain(oldOwners, marks::get, e -> context.release(kind(e), e));
    context.budget().notePeak();
    context.budget().refund(charged + youngBytes() - marked);
    charged = marked;
    before = cursor.bytes();
    Arrays.setAll(elementsBefore, cursor::elements);
    runs = 0;
    restart();
  }

  /** Gives the pages of empty blocks back; the next hole is the first one. */
  void giveBack() {
    int kept = 0;
    for (int b = 0; b < blocks; b++) {
      if (marks.next(starts[b], ends[b]) == ends[b]) {
        raw.givePages(starts[b], ends[b] - starts[b]);
        continue;
      }
      starts[kept] = starts[b];
      ends[kept] = ends[b];
      leaving[kept++] = false;
    }
    blocks = kept;
    restart();
  }

  private void restart() {
    block = 0;
    searched = 0;
    at = 0;
    end = 0;
    cursor.moveTo(0, 0);
  }

  // ---- moving together ----

  /** The share of the blocks' bytes that no element uses. */
  double unused() {
    long all = 0;
    for (int b = 0; b < blocks; b++) {
      all += ends[b] - starts[b];
    }
    return all == 0 ? 0 : 1 - (double) marked / all;
  }

  /**
   * Moves elements out of blocks that are at most half full into holes of the others, and says in
   * their headers where they are now. What finds no room stays.
   *
   * @return how many moved
   */
  long evacuate() {
    long[] sum = new long[1];
    for (int b = 0; b < blocks; b++) {
      sum[0] = 0;
      forEachMarked(b, e -> sum[0] += size(e));
      leaving[b] = 2 * sum[0] <= ends[b] - starts[b];
    }
    sum[0] = 0;
    int all = blocks; // those that are added have room
    for (int b = 0; b < all; b++) {
      if (leaving[b]) {
        forEachMarked(b, e -> sum[0] += evacuate(e) ? 1 : 0);
      }
    }
    return sum[0];
  }

  private boolean evacuate(long element) {
    long size = size(element);
    if (end - at < size && !nextHole() && !addBlock()) {
      return false;
    }
    long to = at;
    at += size;
    memory.copy(element, to, size);
    Forwarding.set(memory, element, to);
    marks.clear(element);
    marks.set(to);
    lines.mark(to, size);
    return true;
  }

  /** Takes over the new places of what moved. */
  void relocateOwners(LongUnaryOperator moved) {
    owners.map(moved);
  }

  // ---- the whole ----

  /** Bytes of the elements that were made since the last collection. */
  long youngBytes() {
    return cursor.bytes() - before;
  }

  private int kind(long element) {
    return Layout.kind(memory.get(element));
  }

  private long size(long element) {
    return (Layout.payloadWords(memory, element, memory.get(element)) + 1) << 3;
  }

  private void forEachMarked(int b, OffsetVisitor visitor) {
    for (long e = marks.next(starts[b], ends[b]); e < ends[b]; e = marks.next(e + 8, ends[b])) {
      visitor.visit(e);
    }
  }

  @Override
  public String name() {
    return "lines";
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    retire();
    endRun();
    for (int b = 0; b < blocks; b++) {
      forEachMarked(b, visitor);
    }
    for (int r = 0; r < runs; r++) {
      for (long e = runStarts[r]; e < runEnds[r]; ) {
        long next = e + size(e);
        visitor.visit(e);
        e = next;
      }
    }
  }

  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    OffsetVisitor ofKind =
        e -> {
          if (kind(e) == kind) {
            visitor.visit(e);
          }
        };
    if (Layout.ownsResources(kind)) {
      owners.forEach(ofKind);
    } else {
      forEach(ofKind);
    }
  }

  @Override
  public long elements(int kind) {
    return markedElements[kind] + cursor.elements(kind) - elementsBefore[kind];
  }

  @Override
  public long allocatedElements() {
    return cursor.elements();
  }

  @Override
  public long allocatedBytes() {
    return cursor.bytes();
  }

  void close() {
    lines.close();
  }
}
