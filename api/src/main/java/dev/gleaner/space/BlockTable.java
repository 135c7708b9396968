package dev.gleaner.space;

import dev.gleaner.util.Numbers;
import java.util.Arrays;

/**
 * The blocks: spans of pages cut into cells of one size for one purpose, or one large allocation.
 *
 * <p>A structure of arrays indexed by block number (0: none), and a map from page to block, so that
 * a cell's size is found from its offset. Large allocations enter their first page only.
 *
 * <p>{@code cursor}: cells below it are handed out (or were found live), from it on not yet looked
 * at since the last collection. {@code live}: cells in use, for raw blocks and as of the last
 * collection. {@code free}: the first freed raw cell. {@code next}, {@code previous}: the list of
 * blocks of one class that may have free cells.
 */
final class BlockTable {
  /** Purposes other than an element kind. */
  static final byte RAW = 0;

  static final byte LARGE = -1;

  private static final long[] NONE = new long[0];

  int[] page = new int[16];
  int[] pages = new int[16];
  int[] cellBytes = new int[16];

  /** Bytes of whole cells; 0 where there are none. */
  int[] cellSpace = new int[16];

  byte[] purpose = new byte[16];
  boolean[] zero = new boolean[16];
  int[] cursor = new int[16];
  int[] live = new int[16];

  /** Of cells: whether a sweep is under way that did not come to the block yet. */
  boolean[] unswept = new boolean[16];

  long[] free = new long[16];

  /** Of raw blocks: which cells are handed out, a bit each, so that no cell is freed twice. */
  long[][] inUse = new long[16][];

  int[] next = new int[16];
  int[] previous = new int[16];
  private int[] pageMap = new int[64];
  private final Numbers numbers = new Numbers(1);

  int add(int firstPage, int pageCount, int bytes, byte use, boolean isZero) {
    int b = numbers.take();
    if (b == page.length) {
      grow();
    }
    page[b] = firstPage;
    pages[b] = pageCount;
    cellBytes[b] = bytes;
    int all = use == LARGE ? 0 : pageCount << PageAllocator.PAGE_SHIFT; // a large one may have more
    cellSpace[b] = use == LARGE ? 0 : all - all % bytes;
    purpose[b] = use;
    zero[b] = isZero;
    cursor[b] = 0;
    live[b] = 0;
    unswept[b] = false;
    free[b] = 0;
    inUse[b] = use == RAW ? new long[(cellSpace[b] / bytes + 63) >> 6] : NONE;
    next[b] = 0;
    previous[b] = 0;
    int mapped = use == LARGE ? 1 : pageCount;
    if (firstPage + mapped > pageMap.length) {
      pageMap = Arrays.copyOf(pageMap, Math.max(firstPage + mapped, pageMap.length * 2));
    }
    Arrays.fill(pageMap, firstPage, firstPage + mapped, b);
    return b;
  }

  void remove(int b) {
    int mapped = purpose[b] == LARGE ? 1 : pages[b];
    Arrays.fill(pageMap, page[b], page[b] + mapped, 0);
    pages[b] = 0;
    inUse[b] = NONE;
    numbers.release(b);
  }

  /** The block of an offset, or 0. */
  int at(long offset) {
    long p = offset >>> PageAllocator.PAGE_SHIFT;
    return p < pageMap.length ? pageMap[(int) p] : 0;
  }

  /** The block that an offset is inside of, or 0: of large ones only the first page is mapped. */
  int containing(long offset) {
    int p = (int) Math.min(pageMap.length - 1L, offset >>> PageAllocator.PAGE_SHIFT);
    while (p > 0 && pageMap[p] == 0) {
      p--;
    }
    int b = pageMap[p];
    return offset - start(b) < (long) pages[b] << PageAllocator.PAGE_SHIFT ? b : 0;
  }

  long start(int b) {
    return (long) page[b] << PageAllocator.PAGE_SHIFT;
  }

  /** The next block, or the bound. */
  int after(int b) {
    return numbers.next(b + 1);
  }

  /** The block before, or 0. */
  int before(int b) {
    return numbers.previous(b - 1);
  }

  /** Block numbers are below this. */
  int bound() {
    return numbers.bound();
  }

  /**
   * Makes a block for cells of this size, of fewer pages where memory is short; returns 0 if there
   * is none.
   *
   * @param count the number of blocks that the size has already
   */
  int addCells(PageAllocator allocator, int bytes, int count, int use) {
    int n = pagesForBlock(bytes, count);
    int first = allocator.allocate(n);
    if (first == 0) {
      n = (int) PageAllocator.pagesFor(bytes);
      first = allocator.allocate(n);
    }
    return first == 0 ? 0 : add(first, n, bytes, (byte) use, allocator.lastIsZero());
  }

  /** Pages of a new block for cells of this size when a class has {@code count} blocks already. */
  static int pagesForBlock(int cellBytes, int count) {
    int pages = count == 0 ? 1 : count < 3 ? 4 : 32;
    int least = (int) PageAllocator.pagesFor((long) cellBytes * (count == 0 ? 1 : 8));
    return Math.max(pages, least);
  }

  private void grow() {
    int n = page.length * 2;
    page = Arrays.copyOf(page, n);
    pages = Arrays.copyOf(pages, n);
    cellBytes = Arrays.copyOf(cellBytes, n);
    cellSpace = Arrays.copyOf(cellSpace, n);
    purpose = Arrays.copyOf(purpose, n);
    zero = Arrays.copyOf(zero, n);
    cursor = Arrays.copyOf(cursor, n);
    live = Arrays.copyOf(live, n);
    unswept = Arrays.copyOf(unswept, n);
    free = Arrays.copyOf(free, n);
    inUse = Arrays.copyOf(inUse, n);
    next = Arrays.copyOf(next, n);
    previous = Arrays.copyOf(previous, n);
  }
}
