package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cells for elements in blocks of one kind and one size each, freed one by one: for collectors that
 * know when an element dies.
 *
 * <pre>
 *   free cell:   header: next free cell, shifted by 1 so that the kind reads as free | zeros
 *   block:       cells that were on a list at some time ... | never carved: zero
 *                                                            ^ cursor
 * </pre>
 *
 * <p>A free list for each kind and class, last in first out, so the next element lies where the
 * last one died, in the cache. The heap's access object takes cells by {@link #take}; a
 * <i>grant</i> bounds how many it may, so that the limit, the voluntary trigger and injected
 * failures miss none. Granted cells are charged; a cell that is freed stays charged until the next
 * {@link #refill}.
 *
 * <p>Every cell below the cursor can be walked by its header. {@link #sweep} builds the lists anew
 * in address order and gives empty blocks back. {@link #sweepUntil} does so block by block, between
 * which the program goes on: a cell that is freed in a block that is not swept yet is only marked
 * as free, and comes to its list with the block. The blocks of a class with cells to carve form a
 * list, too.
 */
public final class FreeListSpace implements Space, Budget.Advances {
  /** Most bytes that are carved or granted at once. */
  private static final int RUN_BYTES = 8 << 10;

  /** Bytes of cells that a sweep in slices looks at between two looks at the clock. */
  private static final int SWEPT_BYTES = 128 << 10;

  /** Blocks that are swept before a class without free cells takes new ones. */
  private static final int SWEPT_BEFORE_CARVING = 4;

  /** Words of a class in {@link Cells#lists}. */
  private static final int HEAD = 0;

  private static final int GRANT = 1;
  private static final int FREED = 2;
  private static final int BLOCK = 3;
  private static final int STRIDE_SHIFT = 2;

  private final Memory memory;
  private final PageAllocator pages;
  private final BlockTable blocks;
  private final Budget budget;
  private final AllocationGate gate;
  private final Cells[] kinds = new Cells[Layout.KINDS];

  /** Those that may have a grant, or freed cells that are still charged: all that ever had. */
  private final GrantedClasses granted = new GrantedClasses();

  private @Nullable MarkBits black;
  private boolean holding;

  private final BlockSweep sweep;
  private @Nullable MarkBits sweepMarks;
  private Releaser sweepReleaser = (_, _) -> {};

  /** The block that a walk in slices came by last. */
  private int walkAt;

  /** One kind's lists and figures. */
  private static final class Cells {
    /** For class c: the first free cell, the grant, the freed that are still charged, the block. */
    long[] lists = new long[8 << STRIDE_SHIFT];

    /** Blocks of a class. */
    int[] count = new int[8];

    long grantedElements;
    long grantedBytes;
    long goneElements;

    void reach(int c) {
      if (c >= count.length) {
        int n = c < SizeClasses.EXACT ? SizeClasses.EXACT + 1 : SizeClasses.COUNT;
        lists = Arrays.copyOf(lists, n << STRIDE_SHIFT);
        count = Arrays.copyOf(count, n);
      }
    }
  }

  public FreeListSpace(RawSpace raw, Budget budget, AllocationGate gate) {
    this.memory = raw.memory();
    this.pages = raw.pages();
    this.blocks = raw.blocks();
    this.sweep = new BlockSweep(blocks, this::sweepNext, SWEPT_BYTES);
    this.budget = budget;
    this.gate = gate;
    for (int kind = 0; kind < kinds.length; kind++) {
      kinds[kind] = new Cells();
    }
    budget.addAdvances(this);
  }

  /**
   * Takes a free cell, all of it zero but for the header, and for what a freed string left.
   *
   * @param words the header's and the payload's
   * @return 0 if none was granted: {@link #refill} has to look
   */
  public long take(int kind, long words) {
    long[] lists = kinds[kind].lists;
    if (words > SizeClasses.EXACT || words << STRIDE_SHIFT >= lists.length) {
      return 0;
    }
    int c = (int) words << STRIDE_SHIFT;
    long cell = lists[c];
    long grant = lists[c + GRANT];
    if (cell == 0 || grant == 0) {
      return 0;
    }
    lists[c + GRANT] = grant - 1;
    lists[c] = memory.get(cell) >>> 1;
    return cell;
  }

  /**
   * Grants cells, carves a block if need be, and takes one.
   *
   * @return the cell, or 0 if there is no memory within the limit
   */
  public long refill(int kind, long words) {
    Cells k = kinds[kind];
    int c = SizeClasses.of(words);
    int bytes = SizeClasses.words(c) << 3;
    k.reach(c);
    int at = c << STRIDE_SHIFT;
    if (k.lists[at + GRANT] == 0 && !grant(k, kind, c, bytes)) {
      return 0;
    }
    if (k.lists[at + HEAD] == 0 && !carve(k, kind, c, bytes)) {
      return 0;
    }
    long[] lists = k.lists;
    long cell = lists[at + HEAD];
    lists[at + HEAD] = memory.get(cell) >>> 1;
    lists[at + GRANT]--;
    memory.put(cell, 0);
    return cell;
  }

  private boolean grant(Cells k, int kind, int c, int bytes) {
    retire(k, c);
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        return false;
      }
      budget.refund(bytes);
    }
    long n = Math.min(gate.grant(), Math.max(1, RUN_BYTES / bytes));
    n = Math.min(n, budget.remaining() / bytes);
    budget.charge(n * bytes);
    gate.trigger().decrease(n);
    k.grantedElements += n;
    k.grantedBytes += n * bytes;
    k.lists[(c << STRIDE_SHIFT) + GRANT] = n;
    granted.add(kind, c);
    if (black != null) {
      markFree(black, k.lists[(c << STRIDE_SHIFT) + HEAD], n);
    }
    return true;
  }

  /** Marks the free cells that are taken next; those freed meanwhile are held. */
  private void markFree(MarkBits bits, long first, long most) {
    long cell = first;
    for (long n = most; n > 0 && cell != 0; n--) {
      bits.set(cell);
      cell = memory.get(cell) >>> 1;
    }
  }

  private boolean carve(Cells k, int kind, int c, int bytes) {
    int at = c << STRIDE_SHIFT;
    for (int n = 0; sweep.isUnderWay() && n < SWEPT_BEFORE_CARVING; n++) {
      int _ = sweep.next();
      if (k.lists[at + HEAD] != 0) {
        return true;
      }
    }
    int b = (int) k.lists[at + BLOCK];
    while (b != 0 && blocks.cursor[b] == blocks.cellSpace[b]) {
      b = blocks.next[b];
      k.lists[at + BLOCK] = b;
    }
    if (b == 0) {
      b = newBlock(k, kind, c, bytes);
      if (b == 0) {
        return false;
      }
    }
    long from = blocks.start(b) + blocks.cursor[b];
    int left = blocks.cellSpace[b] - blocks.cursor[b];
    long end = from + Math.min(left, Math.max(1, RUN_BYTES / bytes) * bytes);
    if (!blocks.zero[b]) {
      memory.zero(from, end - from);
    }
    for (long cell = from; cell < end; cell += bytes) {
      memory.put(cell, cell + bytes < end ? (cell + bytes) << 1 : 0);
      if (black != null) {
        black.set(cell);
      }
    }
    blocks.cursor[b] = (int) (end - blocks.start(b));
    k.lists[at + HEAD] = from;
    return true;
  }

  private int newBlock(Cells k, int kind, int c, int bytes) {
    int b = blocks.addCells(pages, bytes, k.count[c], kind);
    if (b == 0) {
      return 0;
    }
    if (black != null && !black.ensure(extent())) {
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
      return 0;
    }
    k.count[c]++;
    k.lists[(c << STRIDE_SHIFT) + BLOCK] = b;
    return b;
  }

  /** Frees an element's cell, whose payload must be zero already. */
  public void free(int kind, long cell, long words) {
    int c = SizeClasses.of(words);
    long[] lists = kinds[kind].lists;
    int at = c << STRIDE_SHIFT;
    if (lists[at + FREED] == 0) {
      budget.notePeak();
      granted.add(kind, c);
    }
    lists[at + FREED]++;
    if (holding || (sweep.isUnderWay() && blocks.unswept[blocks.at(cell)])) {
      memory.put(cell, ReferenceCounts.UNCOUNTED);
    } else {
      memory.put(cell, lists[at + HEAD] << 1);
      lists[at + HEAD] = cell;
    }
  }

  /** Counts operations of the voluntary trigger, such as frees; see {@link GatedFunctions}. */
  public void count(long operations) {
    gate.trigger().decrease(operations);
    if (gate.isDue() && gate.takeGranted()) {
      retire();
    }
  }

  /**
   * Keeps cells that are freed from being taken again, until {@link #sweep} after it was switched
   * off; to count such a cell's references is an error that {@link ReferenceCounts} tells.
   */
  public void hold(boolean on) {
    holding = on;
  }

  /**
   * Marks new elements in these bits while they are set: an incremental collection is under way. A
   * free cell is marked when it is granted or carved.
   */
  public void allocateBlack(@Nullable MarkBits bits) {
    retire();
    black = bits;
  }

  // ---- figures ----

  /** Takes all grants back; figures are exact afterwards. */
  @Override
  public void retire() {
    for (int i = 0; i < granted.size(); i++) {
      retire(kinds[granted.kind(i)], granted.sizeClass(i));
    }
  }

  private void retire(Cells k, int c) {
    int at = c << STRIDE_SHIFT;
    long bytes = (long) SizeClasses.words(c) << 3;
    long[] lists = k.lists;
    long grant = lists[at + GRANT];
    long freed = lists[at + FREED];
    if ((grant | freed) != 0) {
      budget.refund((grant + freed) * bytes);
      gate.trigger().decrease(-grant);
      k.grantedElements -= grant;
      k.grantedBytes -= grant * bytes;
      k.goneElements += freed;
      lists[at + GRANT] = 0;
      lists[at + FREED] = 0;
    }
  }

  @Override
  public void giveBack() {
    retire();
  }

  @Override
  public long unusedBytes() {
    long n = 0;
    for (int i = 0; i < granted.size(); i++) {
      n += (word(i, GRANT) + word(i, FREED)) * cellBytes(i);
    }
    return n;
  }

  private long word(int i, int word) {
    return kinds[granted.kind(i)].lists[(granted.sizeClass(i) << STRIDE_SHIFT) + word];
  }

  private long cellBytes(int i) {
    return (long) SizeClasses.words(granted.sizeClass(i)) << 3;
  }

  /** Elements of a kind. */
  @Override
  public long elements(int kind) {
    Cells k = kinds[kind];
    long n = k.grantedElements - k.goneElements;
    for (int i = 0; i < granted.size(); i++) {
      if (granted.kind(i) == kind) {
        n -= word(i, GRANT) + word(i, FREED);
      }
    }
    return n;
  }

  @Override
  public long allocatedElements() {
    long n = 0;
    for (Cells k : kinds) {
      n += k.grantedElements;
    }
    for (int i = 0; i < granted.size(); i++) {
      n -= word(i, GRANT);
    }
    return n;
  }

  @Override
  public long allocatedBytes() {
    long n = 0;
    for (Cells k : kinds) {
      n += k.grantedBytes;
    }
    for (int i = 0; i < granted.size(); i++) {
      n -= word(i, GRANT) * cellBytes(i);
    }
    return n;
  }

  /** Bytes of memory below which all elements lie. */
  public long extent() {
    return (long) pages.frontier() << PageAllocator.PAGE_SHIFT;
  }

  // ---- all cells ----

  /** Whether an offset, where an element was once, is a cell still, whose header can be read. */
  public boolean isCell(long offset) {
    int b = blocks.at(offset);
    if (b == 0 || blocks.purpose[b] <= BlockTable.RAW) {
      return false;
    }
    long distance = offset - blocks.start(b);
    return distance < blocks.cursor[b] && distance % blocks.cellBytes[b] == 0;
  }

  @Override
  public String name() {
    return "cells";
  }

  /** Calls back for each element. */
  @Override
  public void forEach(OffsetVisitor visitor) {
    for (int b = blocks.after(0); b < blocks.bound(); b = blocks.after(b)) {
      if (blocks.purpose[b] > BlockTable.RAW) {
        walk(b, visitor);
      }
    }
  }

  /** Begins a walk that {@link #walkUntil} goes on with. */
  public void beginWalk() {
    walkAt = 0;
  }

  /**
   * Calls back for elements until the deadline; not for all that are made meanwhile.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether it came by all
   */
  public boolean walkUntil(long deadline, OffsetVisitor visitor) {
    int left = SWEPT_BYTES;
    for (int b = blocks.after(walkAt); b < blocks.bound(); b = blocks.after(b)) {
      walkAt = b;
      if (blocks.purpose[b] > BlockTable.RAW) {
        walk(b, visitor);
        left -= blocks.cursor[b];
      }
      if (left <= 0) {
        if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
          return false;
        }
        left = SWEPT_BYTES;
      }
    }
    return true;
  }

  /** Calls back for each element of a kind. */
  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    if (elements(kind) == 0) {
      return;
    }
    for (int b = blocks.after(0); b < blocks.bound(); b = blocks.after(b)) {
      if (blocks.purpose[b] == kind) {
        walk(b, visitor);
      }
    }
  }

  private void walk(int b, OffsetVisitor visitor) {
    int bytes = blocks.cellBytes[b];
    long end = blocks.start(b) + blocks.cursor[b];
    for (long cell = blocks.start(b); cell < end; cell += bytes) {
      if (Layout.kind(memory.get(cell)) != Layout.FREE) {
        visitor.visit(cell);
      }
    }
  }

  /**
   * Frees what is not marked, builds the lists anew in address order and gives empty blocks back.
   *
   * @param marks null if every element stays
   * @param releaser told of each dead element before it is free
   */
  public void sweep(@Nullable MarkBits marks, Releaser releaser) {
    beginSweep(marks, releaser);
    boolean done = sweepUntil(Long.MAX_VALUE);
    assert done;
  }

  /**
   * Begins a sweep that {@link #sweepUntil} goes on with. The free cells of a block are on no list
   * until it is swept. New cells come from swept blocks; a class without any has some blocks swept
   * before it takes a new one.
   *
   * @param marks null if every element stays
   * @param releaser told of each dead element before it is free
   */
  public void beginSweep(@Nullable MarkBits marks, Releaser releaser) {
    retire();
    sweepMarks = marks;
    sweepReleaser = releaser;
    budget.notePeak();
    for (Cells k : kinds) {
      for (int at = 0; at < k.lists.length; at += 1 << STRIDE_SHIFT) {
        k.lists[at + HEAD] = 0;
        k.lists[at + BLOCK] = 0;
      }
    }
    for (int b = blocks.after(0); b < blocks.bound(); b = blocks.after(b)) {
      blocks.unswept[b] = blocks.purpose[b] > BlockTable.RAW;
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

  /** Sweeps a block; returns the bytes of its cells. */
  private int sweepNext(int b) {
    int n = blocks.cursor[b];
    sweepBlock(b, sweepMarks, sweepReleaser);
    return n;
  }

  private void sweepBlock(int b, @Nullable MarkBits marks, Releaser releaser) {
    int kind = blocks.purpose[b];
    Cells k = kinds[kind];
    int bytes = blocks.cellBytes[b];
    int c = SizeClasses.of(bytes >> 3);
    int at = c << STRIDE_SHIFT;
    long start = blocks.start(b);
    long head = k.lists[at + HEAD];
    boolean owners = Layout.ownsResources(kind);
    int live = 0;
    int dead = 0;
    for (long cell = start + blocks.cursor[b] - bytes; cell >= start; cell -= bytes) {
      if (Layout.kind(memory.get(cell)) != Layout.FREE) {
        if (marks == null || marks.get(cell)) {
          live++;
          continue;
        }
        if (owners) {
          releaser.release(kind, cell);
        }
        memory.zero(cell + Layout.WORD, bytes - Layout.WORD);
        dead++;
      }
      memory.put(cell, head << 1);
      head = cell;
    }
    k.goneElements += dead;
    budget.refund((long) dead * bytes);
    blocks.unswept[b] = false;
    if (live == 0) {
      k.count[c]--;
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
      return;
    }
    k.lists[at + HEAD] = head;
    if (blocks.cursor[b] < blocks.cellSpace[b]) {
      blocks.next[b] = (int) k.lists[at + BLOCK];
      k.lists[at + BLOCK] = b;
    }
  }
}
