package dev.gleaner.space;

import dev.gleaner.memory.Memory;
import java.util.Arrays;

/**
 * Hands out spans of 1 KiB pages of a Memory.
 *
 * <pre>
 *   page   0        1 …                    frontier …           limit
 *          | never  | in use or free (bit) | never used: zero   |
 * </pre>
 *
 * One bit a page says that it is free, so neighbours coalesce by themselves; a search starts where
 * the last one ended and goes round once. Page 0 is never handed out: offset 0 means none. Pages at
 * the end that are given back to the operating system are as if never used: after a peak a
 * collection should not pay for the heap's former size.
 */
public final class PageAllocator {
  public static final int PAGE_SHIFT = 10;
  public static final int PAGE = 1 << PAGE_SHIFT;

  /** Runs of free pages from this length on are given back to the operating system. */
  private static final int RELEASE_PAGES = 64;

  /** Below so many pages in all it is not worth it. */
  private static final int WORTH_PAGES = 4096;

  /** Pages of a part of memory: 2 MiB. */
  static final int PART_SHIFT = 11;

  private final Memory memory;

  private int limit;

  private long[] free = new long[2];

  /** Pages that have been free since the last {@link #releaseIdle}. */
  private long[] idle = new long[0];

  /** Pages of a part that are in use. */
  private int[] partUsed = new int[1];

  /** When pages of a part were taken or given back last. */
  private long[] partChanged = new long[1];

  private long time = 1;
  private int frontier = 1;
  private int freePages;
  private int rover = 1;
  private int knownTooLong = Integer.MAX_VALUE;
  private boolean freshSpan;

  /** Pages that are left alone, but for single ones while {@link #drawing}. */
  private int reserved;

  private boolean drawing;

  public PageAllocator(Memory memory, long bytes) {
    this.memory = memory;
    this.limit = (int) Math.min(Integer.MAX_VALUE - 64, bytes >>> PAGE_SHIFT);
  }

  /** Pages for so many bytes. */
  public static long pagesFor(long bytes) {
    return (bytes + PAGE - 1) >>> PAGE_SHIFT;
  }

  /**
   * Takes a span.
   *
   * @return its first page, or 0 if there is none
   */
  public int allocate(int pages) {
    if (available() - pages < reserved && !(drawing && pages == 1)) {
      return 0;
    }
    int at = freePages >= pages && pages < knownTooLong ? search(pages) : 0;
    if (at != 0) {
      setFree(at, pages, false);
      freePages -= pages;
      freshSpan = false;
      change(at, pages, 1);
      return at;
    }
    at = frontier;
    if (pages > limit - at || !memory.ensure((long) (at + pages) << PAGE_SHIFT)) {
      return 0;
    }
    frontier += pages;
    freshSpan = true;
    change(at, pages, 1);
    return at;
  }

  /** Whether there is a span of so many pages. */
  boolean has(int pages) {
    return available() - pages >= reserved && (pages <= limit - frontier || search(pages) != 0);
  }

  private int available() {
    return limit - frontier + freePages;
  }

  /**
   * Keeps so many pages for later, instead of those kept before.
   *
   * @return false if there are not as many; then all is as before
   */
  boolean reserve(int pages) {
    if (pages > available()) {
      return false;
    }
    reserved = pages;
    return true;
  }

  /** Lets pages be taken of those that are reserved, one by one, or not. */
  void draw(boolean on) {
    drawing = on;
  }

  /** Hands out no page beyond so many bytes from now on. */
  void endAt(long bytes) {
    limit = (int) Math.min(limit, bytes >>> PAGE_SHIFT);
  }

  private void change(int page, int pages, int sign) {
    int last = (page + pages - 1) >> PART_SHIFT;
    if (last >= partUsed.length) {
      int parts = Math.max(last + 1, partUsed.length * 2);
      partUsed = Arrays.copyOf(partUsed, parts);
      partChanged = Arrays.copyOf(partChanged, parts);
    }
    int at = page;
    for (int part = page >> PART_SHIFT; part <= last; part++) {
      int end = part == last ? page + pages : (part + 1) << PART_SHIFT;
      partUsed[part] += sign * (end - at);
      partChanged[part] = time;
      at = end;
    }
  }

  /** A time after all that was done, for {@link #partInUse}. */
  long tick() {
    return ++time;
  }

  /** The first part from one on of which a page is in use, or was since a time; -1 for none. */
  int partInUse(int from, long since) {
    for (int part = from; part < partUsed.length; part++) {
      if (partUsed[part] != 0 || partChanged[part] >= since) {
        return part;
      }
    }
    return -1;
  }

  /** Whether the span taken last was never used before, and so reads as zero. */
  public boolean lastIsZero() {
    return freshSpan;
  }

  public void free(int page, int pages) {
    setFree(page, pages, true);
    change(page, pages, -1);
    freePages += pages;
    knownTooLong = Integer.MAX_VALUE;
    rover = Math.min(rover, page);
  }

  /** Gives long runs of free pages back to the operating system. */
  public void release() {
    release(free);
  }

  /**
   * Gives long runs of pages that have been free since the last call back to the operating system,
   * if they are most of all pages: what a program takes again from one collection to the next would
   * cost it page faults each time.
   */
  public void releaseIdle() {
    if (frontier <= WORTH_PAGES) {
      return;
    }
    long count = 0;
    for (long word : idle) {
      count += Long.bitCount(word);
    }
    if (count > frontier / 4 * 3L) {
      release(idle);
    }
    if (idle.length < free.length) {
      idle = new long[free.length];
    }
    System.arraycopy(free, 0, idle, 0, free.length);
  }

  private void release(long[] pages) {
    int at = next(pages, 1, 0);
    while (at < frontier) {
      int end = next(pages, at, -1);
      if (end - at >= RELEASE_PAGES) {
        if (end == frontier) {
          releaseLast(at);
          return;
        }
        release(at, end);
      }
      at = next(pages, end, 0);
    }
  }

  private boolean release(int from, int to) {
    return memory.release((long) from << PAGE_SHIFT, (long) (to - from) << PAGE_SHIFT);
  }

  /** Gives back all from a page on; the whole ones of the system's read as zero then. */
  private void releaseLast(int from) {
    int to = upToSystemPage(frontier);
    boolean whole = to <= memory.size() >>> PAGE_SHIFT;
    if (release(from, whole ? to : frontier) && whole) {
      int end = upToSystemPage(from);
      setFree(end, frontier - end, false);
      freePages -= frontier - end;
      frontier = end;
    }
  }

  /** Rounds up to pages of the operating system's, which are given back as a whole. */
  private int upToSystemPage(int page) {
    int systemPage = Math.max(1, memory.pageSize() >> PAGE_SHIFT);
    return (page + systemPage - 1) & -systemPage;
  }

  /** Everything that is handed out lies below this page. */
  public int frontier() {
    return frontier;
  }

  /** Whether a page was given back, and not taken again. */
  boolean isFree(int page) {
    return page >>> 6 < free.length && (free[page >>> 6] >>> page & 1) != 0;
  }

  public int freePages() {
    return freePages;
  }

  public long committedBytes() {
    return (long) (frontier - freePages) << PAGE_SHIFT;
  }

  private int search(int pages) {
    int start = rover;
    int found = searchFrom(start, frontier, pages);
    if (found == 0) {
      found = searchFrom(1, Math.min(frontier, start + pages), pages);
    }
    if (found == 0) {
      knownTooLong = pages;
    } else {
      rover = found + pages;
    }
    return found;
  }

  private int searchFrom(int from, int to, int pages) {
    int at = nextFree(from);
    while (at + pages <= to) {
      int end = nextUsed(at);
      if (end - at >= pages) {
        return at;
      }
      at = nextFree(end);
    }
    return 0;
  }

  private int nextFree(int from) {
    return next(free, from, 0);
  }

  private int nextUsed(int from) {
    return next(free, from, -1);
  }

  /** The first page from {@code from} on whose bit differs from {@code skip}, at most frontier. */
  private int next(long[] pages, int from, long skip) {
    int word = from >>> 6;
    if (from >= frontier || word >= pages.length) {
      return skip == 0 ? frontier : from;
    }
    long bits = (pages[word] ^ skip) & (-1L << from);
    while (bits == 0) {
      if (++word >= pages.length) {
        return skip == 0 ? frontier : Math.min(frontier, word << 6);
      }
      bits = pages[word] ^ skip;
    }
    return Math.min(frontier, (word << 6) + Long.numberOfTrailingZeros(bits));
  }

  private void setFree(int page, int pages, boolean value) {
    int end = page + pages;
    if (value && ((end - 1) >>> 6) >= free.length) {
      free = Arrays.copyOf(free, Math.max(((end - 1) >>> 6) + 1, free.length * 2));
    }
    for (int at = page; at < end; ) {
      int word = at >>> 6;
      int stop = Math.min(end, (word + 1) << 6);
      long mask = (-1L << at) & (-1L >>> -stop);
      free[word] = value ? free[word] | mask : free[word] & ~mask;
      if (!value && word < idle.length) {
        idle[word] &= ~mask;
      }
      at = stop;
    }
  }
}
