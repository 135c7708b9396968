package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cells for elements, in blocks of one kind and one size each, reclaimed by mark bits alone.
 *
 * <pre>
 *   block   | handed out or live …| buffer: cleared, charged | not yet looked at: live if marked |
 *                                      ^ bump           ^ end = cursor
 * </pre>
 *
 * <p>Allocation bumps through a buffer of free cells. When that is used up, {@link #refill} looks
 * in the class's block for the next gap between marks, so sweeping is lazy and touches no live
 * element; then in the class's next block, then it takes a new one. After a collection {@link
 * #sweep} counts the marks of each block, gives back the empty ones and puts those with gaps on
 * their class's list. {@link #sweepUntil} does so block by block, between which the program goes
 * on.
 *
 * <p>Kinds that own resources are swept at once: their dead cells are released and their headers
 * set to 0, and all their free cells read as 0, so that such a block can be walked by headers.
 *
 * <p>The buffers of kind k are in {@code buffers(k)}: [2c] the bump offset, [2c + 1] the end for
 * cells of class c. The heap's access object allocates from them directly. {@link #retire} gives
 * what is unused back, after which figures are exact and every cell below a cursor is an element.
 */
public final class CellSpace implements Space, Budget.Advances {
  /** Longest buffer in bytes, so that clearing it leaves the first-level cache to the mutator. */
  private static final int RUN_BYTES = 8 << 10;

  /** Pages of cells that a sweep in slices looks at between two looks at the clock. */
  private static final int SWEPT_PAGES = 256;

  /** The work for a page whose cells own resources: each header is read. */
  private static final int OWNERS = 8;

  /** Blocks that are swept before a class without a swept one takes a new block. */
  private static final int SWEPT_BEFORE_NEW = 4;

  private final Memory memory;
  private final PageAllocator pages;
  private final BlockTable blocks;
  private final Budget budget;
  private final AllocationGate gate;
  private final @Nullable Cells[] kinds = new Cells[Layout.KINDS];
  private @Nullable MarkBits live;
  private @Nullable MarkBits black;

  private final BlockSweep sweep;
  private @Nullable Releaser sweepReleaser;

  /** Those that may have a buffer: all that ever had one. */
  private final GrantedClasses granted = new GrantedClasses();

  /** One kind's classes and figures. */
  private static final class Cells {
    private static final int FEW = 16;

    final long[] buffers = new long[2 * (SizeClasses.EXACT + 1)];
    private long[] largerRuns = new long[0];
    int[] head = new int[FEW];
    int[] count = new int[FEW];
    long elements;
    long allocatedElements;
    long allocatedBytes;

    /** Makes room for a class; small heaps have few, of small cells. */
    void reach(int c) {
      if (c >= head.length) {
        head = Arrays.copyOf(head, SizeClasses.COUNT);
        count = Arrays.copyOf(count, SizeClasses.COUNT);
      }
    }

    /** The array that has a class's buffer, at [2c]; those of larger cells are made when needed. */
    long[] buffers(int c) {
      if (c <= SizeClasses.EXACT) {
        return buffers;
      }
      if (largerRuns.length == 0) {
        largerRuns = new long[2 * SizeClasses.COUNT];
      }
      return largerRuns;
    }
  }

  public CellSpace(RawSpace raw, Budget budget, AllocationGate gate) {
    this.memory = raw.memory();
    this.pages = raw.pages();
    this.blocks = raw.blocks();
    this.sweep = new BlockSweep(blocks, this::sweepNext, SWEPT_PAGES);
    this.budget = budget;
    this.gate = gate;
    budget.addAdvances(this);
  }

  /** The buffers of a kind, stable for the life of the space. */
  public long[] allocationBuffers(int kind) {
    return cells(kind).buffers;
  }

  /**
   * New cells are marked in these bits while they are set: an incremental collection is under way.
   */
  public void allocateBlack(@Nullable MarkBits bits) {
    retire();
    black = bits;
  }

  /**
   * Finds a buffer for a cell and takes the cell.
   *
   * @return the cell, cleared; 0 if there is no memory within the limit
   */
  public long refill(int kind, long words) {
    Cells k = cells(kind);
    int c = SizeClasses.of(words);
    int bytes = SizeClasses.words(c) << 3;
    k.reach(c);
    long[] buffers = k.buffers(c);
    if (buffers[2 * c] + bytes <= buffers[2 * c + 1]) {
      return take(buffers, c, bytes);
    }
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        return 0;
      }
      budget.refund(bytes);
    }
    long most = Math.min(gate.grant(), Math.max(1, RUN_BYTES / bytes)) * bytes;
    if (most > budget.remaining()) {
      most = budget.remaining() / bytes * bytes;
    }
    for (int n = 0; sweep.isUnderWay() && k.head[c] == 0 && n < SWEPT_BEFORE_NEW; n++) {
      int _ = sweep.next();
    }
    while (true) {
      int b = k.head[c];
      if (b == 0) {
        b = newBlock(k, kind, c, bytes);
        if (b == 0) {
          return 0;
        }
      }
      if (findRun(k, b, c, bytes, most)) {
        return take(buffers, c, bytes);
      }
      k.head[c] = blocks.next[b];
    }
  }

  private static long take(long[] buffers, int c, int bytes) {
    long cell = buffers[2 * c];
    buffers[2 * c] = cell + bytes;
    return cell;
  }

  private boolean findRun(Cells k, int b, int c, int bytes, long most) {
    long start = blocks.start(b);
    long end = start + blocks.cellSpace[b];
    long at = start + blocks.cursor[b];
    while (at < end) {
      long gapEnd = live == null ? end : live.next(at, end);
      if (gapEnd > at) {
        grant(k, b, c, at, Math.min(gapEnd, at + most), bytes);
        return true;
      }
      at += bytes;
    }
    blocks.cursor[b] = (int) (end - start);
    return false;
  }

  private void grant(Cells k, int b, int c, long at, long end, int bytes) {
    long n = (end - at) / bytes;
    budget.charge(end - at);
    gate.trigger().decrease(n);
    k.allocatedElements += n;
    k.allocatedBytes += end - at;
    k.elements += n;
    blocks.live[b] += (int) n;
    if (!blocks.zero[b]) {
      memory.zero(at, end - at);
    }
    if (black != null) {
      for (long cell = at; cell < end; cell += bytes) {
        black.set(cell);
      }
    }
    blocks.cursor[b] = (int) (end - blocks.start(b));
    long[] buffers = k.buffers(c);
    buffers[2 * c] = at;
    buffers[2 * c + 1] = end;
    granted.add(blocks.purpose[b], c);
  }

  private int newBlock(Cells k, int kind, int c, int bytes) {
    int b = blocks.addCells(pages, bytes, k.count[c], kind);
    if (b == 0) {
      return 0;
    }
    if (!ensureBits()) {
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
      return 0;
    }
    if (!blocks.zero[b] && Layout.ownsResources(kind)) {
      memory.zero(blocks.start(b), (long) blocks.pages[b] << PageAllocator.PAGE_SHIFT);
    }
    k.count[c]++;
    k.head[c] = b;
    return b;
  }

  private boolean ensureBits() {
    long extent = extent();
    return (live == null || live.ensure(extent)) && (black == null || black.ensure(extent));
  }

  /** Bytes of memory below which all elements lie. */
  public long extent() {
    return (long) pages.frontier() << PageAllocator.PAGE_SHIFT;
  }

  @Override
  public void giveBack() {
    retire();
  }

  /** Gives the unused parts of all buffers back. */
  @Override
  public void retire() {
    for (int i = 0; i < granted.size(); i++) {
      retire(cells(granted.kind(i)), granted.sizeClass(i));
    }
  }

  private void retire(Cells k, int c) {
    long[] buffers = k.buffers(c);
    long at = buffers[2 * c];
    long unused = buffers[2 * c + 1] - at;
    if (unused > 0) {
      int bytes = SizeClasses.words(c) << 3;
      int b = blocks.at(at);
      blocks.cursor[b] = (int) (at - blocks.start(b));
      budget.refund(unused);
      long n = unused / bytes;
      gate.trigger().decrease(-n);
      k.allocatedElements -= n;
      k.allocatedBytes -= unused;
      k.elements -= n;
      blocks.live[b] -= (int) n;
      if (black != null) {
        for (long cell = at; cell < at + unused; cell += bytes) {
          black.clear(cell);
        }
      }
    }
    buffers[2 * c] = 0;
    buffers[2 * c + 1] = 0;
  }

  /**
   * Makes {@code marks} the truth: every unmarked cell is free.
   *
   * @param marks stay in use until the next sweep
   */
  public void sweep(MarkBits marks, Releaser releaser) {
    beginSweep(marks, releaser);
    boolean done = sweepUntil(Long.MAX_VALUE);
    assert done;
  }

  /**
   * Begins a sweep that {@link #sweepUntil} goes on with. A block takes no more cells until it is
   * swept; a class without a swept one has some blocks swept before it takes a new one. A walk
   * comes by no dead cell any more.
   *
   * @param marks stay in use until the next sweep
   * @param releaser told of each dead element that owns resources
   */
  public void beginSweep(MarkBits marks, Releaser releaser) {
    retire();
    sweepReleaser = releaser;
    budget.notePeak();
    live = marks;
    for (Cells k : kinds) {
      if (k != null) {
        Arrays.fill(k.head, 0);
      }
    }
    for (int b = blocks.after(0); b < blocks.bound(); b = blocks.after(b)) {
      if (blocks.purpose[b] > BlockTable.RAW) {
        blocks.unswept[b] = true;
        blocks.cursor[b] = 0;
      }
    }
    sweep.begin();
  }

  /**
   * Sweeps blocks until the deadline.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether all are swept
   */
  public boolean sweepUntil(long deadline) {
    return sweep.until(deadline);
  }

  /** Sweeps a block; returns the work in pages. */
  private int sweepNext(int b) {
    int n = Layout.ownsResources(blocks.purpose[b]) ? OWNERS * blocks.pages[b] : blocks.pages[b];
    sweepBlock(b, Objects.requireNonNull(live), Objects.requireNonNull(sweepReleaser));
    return n;
  }

  private void sweepBlock(int b, MarkBits marks, Releaser releaser) {
    int kind = blocks.purpose[b];
    Cells k = cells(kind);
    int bytes = blocks.cellBytes[b];
    int c = SizeClasses.of(bytes >> 3);
    long start = blocks.start(b);
    int n = marks.count(start, start + ((long) blocks.pages[b] << PageAllocator.PAGE_SHIFT));
    int dead = blocks.live[b] - n;
    if (dead > 0 && Layout.ownsResources(kind)) {
      long end = start + blocks.cellSpace[b];
      for (long cell = start; cell < end; cell += bytes) {
        if (memory.get(cell) != 0 && !marks.get(cell)) {
          releaser.release(kind, cell);
          memory.zero(cell, bytes);
        }
      }
    }
    k.elements -= dead;
    budget.refund((long) dead * bytes);
    blocks.unswept[b] = false;
    if (n == 0) {
      k.count[c]--;
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
      return;
    }
    blocks.live[b] = n;
    blocks.zero[b] = Layout.ownsResources(kind);
    if ((long) n * bytes == blocks.cellSpace[b]) {
      blocks.cursor[b] = blocks.cellSpace[b];
      return;
    }
    blocks.cursor[b] = 0;
    blocks.next[b] = k.head[c];
    k.head[c] = b;
  }

  @Override
  public String name() {
    return "cells";
  }

  /** Calls back for each element; buffers are retired first. */
  @Override
  public void forEach(OffsetVisitor visitor) {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      forEach(kind, visitor);
    }
  }

  /** Calls back for each element of a kind; buffers are retired first. */
  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    if (kinds[kind] == null) {
      return;
    }
    retire();
    for (int b = blocks.after(0); b < blocks.bound(); b = blocks.after(b)) {
      if (blocks.purpose[b] == kind) {
        walk(b, visitor);
      }
    }
  }

  private void walk(int b, OffsetVisitor visitor) {
    long start = blocks.start(b);
    long end = start + blocks.cellSpace[b];
    long cursor = start + blocks.cursor[b];
    int bytes = blocks.cellBytes[b];
    for (long cell = start; cell < cursor; cell += bytes) {
      visitor.visit(cell);
    }
    MarkBits marks = live;
    if (marks != null) {
      for (long cell = marks.next(cursor, end); cell < end; cell = marks.next(cell + bytes, end)) {
        visitor.visit(cell);
      }
    }
  }

  /** Bytes an element of so many words takes here. */
  public static long cellBytes(long words) {
    return (long) SizeClasses.words(SizeClasses.of(words)) << 3;
  }

  @Override
  public long elements(int kind) {
    Cells k = kinds[kind];
    long n = k == null ? 0 : k.elements;
    for (int i = 0; i < granted.size(); i++) {
      n -= granted.kind(i) == kind ? unusedCells(i) : 0;
    }
    return n;
  }

  @Override
  public long allocatedElements() {
    long n = 0;
    for (Cells k : kinds) {
      n += k == null ? 0 : k.allocatedElements;
    }
    for (int i = 0; i < granted.size(); i++) {
      n -= unusedCells(i);
    }
    return n;
  }

  @Override
  public long allocatedBytes() {
    long n = 0;
    for (Cells k : kinds) {
      n += k == null ? 0 : k.allocatedBytes;
    }
    return n - unusedBytes();
  }

  @Override
  public long unusedBytes() {
    long n = 0;
    for (int i = 0; i < granted.size(); i++) {
      n += unusedBytes(i);
    }
    return n;
  }

  private long unusedBytes(int i) {
    int c = granted.sizeClass(i);
    long[] buffers = cells(granted.kind(i)).buffers(c);
    return buffers[2 * c + 1] - buffers[2 * c];
  }

  private long unusedCells(int i) {
    return unusedBytes(i) / ((long) SizeClasses.words(granted.sizeClass(i)) << 3);
  }

  private Cells cells(int kind) {
    Cells k = kinds[kind];
    if (k == null) {
      k = new Cells();
      kinds[kind] = k;
    }
    return k;
  }
}
