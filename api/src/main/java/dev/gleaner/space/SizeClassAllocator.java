package dev.gleaner.space;

import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;

/**
 * The default allocation functions: cells of {@link SizeClasses} in blocks, large blocks in pages
 * of their own, everything charged to the {@link Budget} as it is rounded.
 *
 * <p>A class has a list of blocks with free cells. A freed cell is linked through its first word
 * into its block; a block with no cell in use goes back to the pages, but for the last one of a
 * class. A pointer that is no block's start, or was freed, is refused with an exception and changes
 * nothing.
 */
public final class SizeClassAllocator implements AllocationFunctions {
  private final Memory memory;
  private final PageAllocator pages;
  private final BlockTable blocks;
  private final Budget budget;
  private final CriticalSection section;
  private int[] available = new int[0];
  private int[] count = new int[0];
  private long blocksInUse;

  /** Makes the allocator of a region, with page and block tables of its own. */
  public SizeClassAllocator(Memory memory, long bytes, Budget budget) {
    this(memory, new PageAllocator(memory, bytes), new BlockTable(), budget, new CriticalSection());
  }

  SizeClassAllocator(
      Memory memory,
      PageAllocator pages,
      BlockTable blocks,
      Budget budget,
      CriticalSection section) {
    this.memory = memory;
    this.pages = pages;
    this.blocks = blocks;
    this.budget = budget;
    this.section = section;
  }

  @Override
  public long alloc(long bytes) {
    if (bytes <= 0) {
      return 0;
    }
    long words = (bytes + 7) >>> 3;
    section.enter();
    long block = words > SizeClasses.LARGEST_WORDS ? allocLarge(bytes) : allocCell(words);
    section.leave();
    return block;
  }

  /**
   * Allocates as {@link #alloc} does, but takes back nothing that is granted: for callers in the
   * midst of an operation.
   */
  public long allocOfRemaining(long bytes) {
    long most = PageAllocator.pagesFor(bytes) << PageAllocator.PAGE_SHIFT;
    return most > budget.remaining() ? 0 : alloc(bytes);
  }

  @Override
  public long realloc(long block, long bytes) {
    if (block == 0) {
      return alloc(bytes);
    }
    if (bytes == 0) {
      free(block);
      return 0;
    }
    long old = size(block);
    if (fits(old, bytes)) {
      return block;
    }
    long moved = alloc(bytes);
    if (moved != 0) {
      memory.copy(block, moved, Math.min(old, bytes));
      free(block);
    }
    return moved;
  }

  @Override
  public void free(long block) {
    if (block == 0) {
      return;
    }
    int b = checked(block);
    section.enter();
    budget.notePeak();
    blocksInUse--;
    if (blocks.purpose[b] == BlockTable.LARGE) {
      budget.refund((long) blocks.pages[b] << PageAllocator.PAGE_SHIFT);
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
    } else {
      budget.refund(blocks.cellBytes[b]);
      freeCell(b, block);
    }
    section.leave();
  }

  /** The usable bytes of a block, as it is charged. */
  public long size(long block) {
    int b = checked(block);
    return blocks.purpose[b] == BlockTable.LARGE
        ? (long) blocks.pages[b] << PageAllocator.PAGE_SHIFT
        : blocks.cellBytes[b];
  }

  /** Whether so many bytes are whole inside a block that was handed out and not freed. */
  public boolean holds(long place, long bytes) {
    if (place <= 0 || bytes < 0 || bytes > memory.size() || place > memory.size() - bytes) {
      return false;
    }
    int b = blocks.containing(place);
    if (b == 0) {
      return false;
    }
    long start = blocks.start(b);
    byte use = blocks.purpose[b];
    if (use == BlockTable.LARGE) {
      return place + bytes <= start + ((long) blocks.pages[b] << PageAllocator.PAGE_SHIFT);
    }
    long at = place - start;
    long within = at % blocks.cellBytes[b];
    return inUse(b, use, at - within) && within + bytes <= blocks.cellBytes[b];
  }

  /** Blocks handed out and not freed. */
  public long blocksInUse() {
    return blocksInUse;
  }

  // A block stays where it is when its size class, or its number of pages, does not change.
  private static boolean fits(long old, long bytes) {
    long words = (bytes + 7) >>> 3;
    return words > SizeClasses.LARGEST_WORDS
        ? old == PageAllocator.pagesFor(bytes) << PageAllocator.PAGE_SHIFT
        : old == (long) SizeClasses.words(SizeClasses.of(words)) << 3;
  }

  private int checked(long block) {
    int b = blocks.at(block);
    if (b != 0) {
      byte use = blocks.purpose[b];
      long at = block - blocks.start(b);
      if (use == BlockTable.LARGE ? at == 0 : inUse(b, use, at)) {
        return b;
      }
    }
    throw new HeapUsageException("not a block of this heap's allocator: " + block);
  }

  private boolean inUse(int b, byte use, long at) {
    if (use != BlockTable.RAW || at >= blocks.cellSpace[b]) {
      return false;
    }
    int n = (int) at / blocks.cellBytes[b];
    return (long) n * blocks.cellBytes[b] == at && (blocks.inUse[b][n >> 6] >>> n & 1) != 0;
  }

  private long allocLarge(long bytes) {
    long n = PageAllocator.pagesFor(bytes);
    if (n > Integer.MAX_VALUE - 64 || !budget.charge(n << PageAllocator.PAGE_SHIFT)) {
      return 0;
    }
    int page = pages.allocate((int) n);
    if (page == 0) {
      budget.refund(n << PageAllocator.PAGE_SHIFT);
      return 0;
    }
    boolean zero = pages.lastIsZero();
    int b = blocks.add(page, (int) n, 0, BlockTable.LARGE, zero);
    blocksInUse++;
    return blocks.start(b);
  }

  /** Whether the block just allocated is known to read as zero. */
  boolean isZero(long block) {
    int b = blocks.at(block);
    return blocks.purpose[b] == BlockTable.LARGE && blocks.zero[b];
  }

  private long allocCell(long words) {
    int c = SizeClasses.of(words);
    int bytes = SizeClasses.words(c) << 3;
    if (!budget.charge(bytes)) {
      return 0;
    }
    if (available.length == 0) {
      available = new int[SizeClasses.COUNT];
      count = new int[SizeClasses.COUNT];
    }
    int b = available[c];
    if (b == 0) {
      b = newBlock(c, bytes);
      if (b == 0) {
        budget.refund(bytes);
        return 0;
      }
    }
    long cell = blocks.free[b];
    if (cell != 0) {
      blocks.free[b] = memory.get(cell);
    } else {
      cell = blocks.start(b) + blocks.cursor[b];
      blocks.cursor[b] += bytes;
    }
    flipInUse(b, cell);
    blocks.live[b]++;
    blocksInUse++;
    if (isFull(b)) {
      available[c] = blocks.next[b];
      blocks.previous[available[c]] = 0;
    }
    return cell;
  }

  private void flipInUse(int b, long cell) {
    int n = (int) (cell - blocks.start(b)) / blocks.cellBytes[b];
    blocks.inUse[b][n >> 6] ^= 1L << n;
  }

  private boolean isFull(int b) {
    return blocks.free[b] == 0 && blocks.cursor[b] == blocks.cellSpace[b];
  }

  private int newBlock(int c, int bytes) {
    int b = blocks.addCells(pages, bytes, count[c], BlockTable.RAW);
    if (b != 0) {
      count[c]++;
      available[c] = b;
    }
    return b;
  }

  private void freeCell(int b, long cell) {
    int c = SizeClasses.of(blocks.cellBytes[b] >> 3);
    boolean wasFull = isFull(b);
    flipInUse(b, cell);
    memory.put(cell, blocks.free[b]);
    blocks.free[b] = cell;
    if (wasFull) {
      int head = available[c];
      blocks.next[b] = head;
      blocks.previous[b] = 0;
      blocks.previous[head] = b;
      available[c] = b;
    }
    if (--blocks.live[b] == 0 && count[c] > 1) {
      int before = blocks.previous[b];
      int after = blocks.next[b];
      if (before != 0) {
        blocks.next[before] = after;
      } else {
        available[c] = after;
      }
      blocks.previous[after] = before;
      count[c]--;
      pages.free(blocks.page[b], blocks.pages[b]);
      blocks.remove(b);
    }
  }
}
