package dev.gleaner.policy;

import dev.gleaner.spi.Memory;

/** A heap's memory with its pages, its blocks and the default allocation functions over them. */
public final class RawSpace {
  private final Memory memory;
  private final PageAllocator pages;
  private final BlockTable blocks = new BlockTable();
  private final SizeClassAllocator allocator;

  public RawSpace(Memory memory, long bytes, Budget budget) {
    this.memory = memory;
    this.pages = new PageAllocator(memory, bytes);
    this.allocator = new SizeClassAllocator(memory, pages, blocks, budget);
  }

  public Memory memory() {
    return memory;
  }

  public SizeClassAllocator allocator() {
    return allocator;
  }

  PageAllocator pages() {
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
   * Keeps pages for copies of so many bytes of small elements, instead of what was kept before. Of
   * a page up to a fifth is lost behind the last element, and one of each size may be begun.
   *
   * @return false if there are not as many; then all is as before
   */
  public boolean reserveCopies(long bytes) {
    long n = bytes == 0 ? 0 : PageAllocator.pagesFor(bytes + bytes / 4) + SizeClasses.EXACT;
    return n < Integer.MAX_VALUE && pages.reserve((int) n);
  }

  /**
   * Lets elements be copied to what was kept for it.
   *
   * @param span bytes that may be taken of it at a time; 0 for none from now on
   */
  public void copyIn(long span) {
    pages.draw((int) PageAllocator.pagesFor(span));
  }

  /** Bytes of memory below which everything lies. */
  public long extent() {
    return (long) pages.frontier() << PageAllocator.PAGE_SHIFT;
  }

  public long committedBytes() {
    return pages.committedBytes();
  }
}
