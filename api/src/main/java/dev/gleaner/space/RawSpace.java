package dev.gleaner.space;

import dev.gleaner.memory.Memory;
import java.util.function.Consumer;

/** A heap's memory with its pages, its blocks and the default allocation functions over them. */
public final class RawSpace {
  /** The words of the largest elements that can be copied whatever is free. */
  public static final int MOST_COPIED = SizeClasses.EXACT;

  /** Bytes that are used of a page, at least, before an element is put on the next one. */
  private static final long LEAST_USED = PageAllocator.PAGE - (MOST_COPIED - 1) * 8L;

  private final Memory memory;
  private final PageAllocator pages;
  private final BlockTable blocks = new BlockTable();
  private final SizeClassAllocator allocator;
  private final CriticalSection section = new CriticalSection();

  public RawSpace(Memory memory, long bytes, Budget budget) {
    this.memory = memory;
    this.pages = new PageAllocator(memory, bytes);
    this.allocator = new SizeClassAllocator(memory, pages, blocks, budget, section);
  }

  public Memory memory() {
    return memory;
  }

  /** What counts the changes of the heap that are under way. */
  public CriticalSection section() {
    return section;
  }

  public SizeClassAllocator allocator() {
    return allocator;
  }

  public PageAllocator pages() {
    return pages;
  }

  BlockTable blocks() {
    return blocks;
  }

  /**
   * Gives long runs of free pages back to the operating system when they are many, and were not
   * used since the last call.
   *
   * @param all also when they are few, or were used
   */
  public void release(boolean all) {
    if (all) {
      pages.release();
    } else {
      pages.releaseIdle();
    }
  }

  /**
   * Takes whole pages, which nothing is charged for: what lies in them is the taker's to charge.
   *
   * @return where they begin, or 0 if there is no room
   */
  public long takePages(long bytes) {
    long n = PageAllocator.pagesFor(bytes);
    return n > Integer.MAX_VALUE - 64
        ? 0
        : (long) pages.allocate((int) n) << PageAllocator.PAGE_SHIFT;
  }

  /** Whether there are pages, one after the other, for so many bytes. */
  public boolean hasRoom(long bytes) {
    long n = PageAllocator.pagesFor(bytes);
    return n < Integer.MAX_VALUE && pages.has((int) n);
  }

  /** Gives back what {@link #takePages} took. */
  public void givePages(long start, long bytes) {
    pages.free((int) (start >>> PageAllocator.PAGE_SHIFT), (int) PageAllocator.pagesFor(bytes));
  }

  /**
   * Keeps pages for copies of so many bytes of small elements of one kind, or keeps none.
   *
   * @return false if there are not as many; then all is as before
   */
  public boolean reserveCells(long bytes) {
    return reserveCells(bytes, bytes == 0 ? 0 : SizeClasses.EXACT);
  }

  /**
   * Keeps pages for copies of so many bytes of small elements in cells of one size each. Of a page
   * up to a fifth is lost behind the last cell, and one of each size may be begun.
   *
   * @param bytes of the elements
   * @param sizes how many kinds and sizes they are of at most
   * @return false if there are not as many; then all is as before
   */
  public boolean reserveCells(long bytes, int sizes) {
    return reserve(PageAllocator.pagesFor(bytes + bytes / 4) + sizes);
  }

  /**
   * Keeps pages for copies of elements side by side, instead of what was kept before. What is free
   * may be in pieces of a page, so no element is to have more than {@link #MOST_COPIED} words. If
   * copies of B bytes take p(B) pages at most, and the elements are on T pages, kept are
   *
   * <pre>
   *   max(p(B), 2 p(B) - T)
   * </pre>
   *
   * <p>Copies take more than p(B) pages only while as many are left; they have no more than B
   * bytes, and T pages are given back for them. So as many are free then as the same says of them.
   *
   * @param bytes of elements that are there, or can be without a further page
   * @param rows how many pages are begun at a time
   * @param taken bytes of the pages that they are on
   * @param idle bytes of pages that are given back before they are copied
   * @return false if there are not as many pages; then all is as before
   */
  public boolean reserveCopies(long bytes, int rows, long taken, long idle) {
    long copies = bytes / LEAST_USED + rows;
    long again = 2 * copies - (taken >> PageAllocator.PAGE_SHIFT);
    return reserve(Math.max(0, Math.max(copies, again) - (idle >> PageAllocator.PAGE_SHIFT)));
  }

  private boolean reserve(long n) {
    return n < Integer.MAX_VALUE && pages.reserve((int) n);
  }

  /**
   * Lets pages be taken of those kept for copies, until {@link #endCopies}. They may all be apart,
   * so it is one at a time; larger spans are taken only of what else is free.
   */
  public void beginCopies() {
    pages.draw(true);
  }

  /** Keeps those pages for copies again. */
  public void endCopies() {
    pages.draw(false);
  }

  /** Takes no page beyond an offset, for collectors that cannot say where an element there is. */
  public void endAt(long offset) {
    pages.endAt(offset);
  }

  /** What a span of pages is used for. */
  public enum Use {
    /** Cells for elements of one kind. */
    CELLS,
    /** Cells that the default allocation functions hand out as blocks. */
    BLOCKS,
    /** One block of the default allocation functions. */
    LARGE_BLOCK,
    /** What {@link #takePages} handed out. */
    TAKEN,
    /** Pages that are free. */
    FREE,
    /** Never used: the first page, and all beyond the last one that was. */
    UNUSED
  }

  /**
   * Pages side by side of one use.
   *
   * @param start the offset of the first one
   * @param bytes of all of them
   * @param use what they are used for
   * @param kind of the elements in cells, 0 if there are none
   * @param cellBytes of a cell, 0 if there are none
   */
  public record Span(long start, long bytes, Use use, int kind, int cellBytes) {}

  /** The span that an offset is inside of. */
  public Span spanAt(long offset) {
    long page = offset >>> PageAllocator.PAGE_SHIFT;
    if (page == 0 || page >= pages.frontier()) {
      return new Span(page == 0 ? 0 : extent(), PageAllocator.PAGE, Use.UNUSED, 0, 0);
    }
    int block = blocks.containing(offset);
    int first = (int) page;
    while (block == 0
        && first > 1
        && pages.isFree(first - 1) == pages.isFree(first)
        && blocks.containing((long) (first - 1) << PageAllocator.PAGE_SHIFT) == 0) {
      first--;
    }
    return span(first, block);
  }

  /** Calls back for each span that was ever used, in the order of memory. */
  public void forEachSpan(Consumer<Span> visitor) {
    for (long at = PageAllocator.PAGE; at < extent(); ) {
      Span span = span((int) (at >>> PageAllocator.PAGE_SHIFT), blocks.at(at));
      visitor.accept(span);
      at = span.start + span.bytes;
    }
  }

  private Span span(int page, int block) {
    if (block != 0) {
      byte purpose = blocks.purpose[block];
      Use use =
          purpose == BlockTable.RAW
              ? Use.BLOCKS
              : purpose == BlockTable.LARGE ? Use.LARGE_BLOCK : Use.CELLS;
      long bytes = (long) blocks.pages[block] << PageAllocator.PAGE_SHIFT;
      int kind = use == Use.CELLS ? purpose : 0;
      return new Span(blocks.start(block), bytes, use, kind, blocks.cellBytes[block]);
    }
    boolean free = pages.isFree(page);
    int end = page + 1;
    while (end < pages.frontier()
        && pages.isFree(end) == free
        && blocks.at((long) end << PageAllocator.PAGE_SHIFT) == 0) {
      end++;
    }
    long start = (long) page << PageAllocator.PAGE_SHIFT;
    long bytes = (long) (end - page) << PageAllocator.PAGE_SHIFT;
    return new Span(start, bytes, free ? Use.FREE : Use.TAKEN, 0, 0);
  }

  /** Bytes of memory below which everything lies. */
  public long extent() {
    return (long) pages.frontier() << PageAllocator.PAGE_SHIFT;
  }

  public long committedBytes() {
    return pages.committedBytes();
  }
}
