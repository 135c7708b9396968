package dev.gleaner.weak;

import dev.gleaner.memory.Memory;
import dev.gleaner.space.RawSpace;

/**
 * An index from an element to the entries of weak tables that name it, in a block of the heap's
 * memory.
 *
 * <pre>
 *   heads    the first entry of each list + 1, an int each; a list has the elements of one hash
 *   entries  element | key of the entry in its weak table | number of that table, next entry + 1
 * </pre>
 *
 * <p>The index may be made, and may grow, in the midst of an operation. So it takes back nothing
 * that is granted to the mutator. Where the limit leaves too little, the index has pages beyond the
 * limit: to search all weak tables for each element that goes would take too long.
 */
final class WeakIndex {
  private static final int LEAST = 16;
  private static final int ENTRY = 24;
  private static final int KEY = 8;
  private static final int NUMBER = 16;
  private static final int NEXT = 20;

  private final Memory memory;
  private final RawSpace raw;
  private long block;

  /** The bytes of the block if its pages are beyond the limit, else 0. */
  private long beyond;

  private long entries;
  private int capacity;
  private int mask;
  private int size;

  WeakIndex(RawSpace raw) {
    this.raw = raw;
    this.memory = raw.memory();
  }

  /** Returns whether there is an index, empty or not. */
  boolean isMade() {
    return block != 0;
  }

  /**
   * Makes an empty index with room for so many entries; returns false if the memory has no room.
   */
  boolean make(long most) {
    long c = Math.max(LEAST, most);
    int heads = Integer.highestOneBit((int) Math.min(c, 1 << 30));
    long bytes = (long) heads * Integer.BYTES + c * ENTRY;
    if (c > Integer.MAX_VALUE / 2) {
      return false;
    }
    raw.section().enter();
    long b = raw.allocator().allocOfRemaining(bytes);
    long pages = b == 0 ? raw.takePages(bytes) : 0;
    raw.section().leave();
    if (b + pages == 0) {
      return false;
    }
    block = b + pages;
    beyond = b == 0 ? bytes : 0;
    memory.zero(block, (long) heads * Integer.BYTES);
    entries = block + (long) heads * Integer.BYTES;
    capacity = (int) c;
    mask = heads - 1;
    size = 0;
    return true;
  }

  /** Gives the memory back. */
  void free() {
    free(block, beyond);
    block = 0;
    beyond = 0;
    size = 0;
  }

  private void free(long b, long pages) {
    raw.section().enter();
    if (pages == 0) {
      raw.allocator().free(b);
    } else {
      raw.givePages(b, pages);
    }
    raw.section().leave();
  }

  /** Enters an entry under an element; returns false if the memory has no room for it. */
  boolean add(long element, long key, int number) {
    if (size == capacity && !grow()) {
      return false;
    }
    long head = head(element);
    long at = at(size++);
    memory.put(at, element);
    memory.put(at + KEY, key);
    memory.putInt(at + NUMBER, number);
    memory.putInt(at + NEXT, memory.getInt(head));
    memory.putInt(head, size);
    return true;
  }

  private boolean grow() {
    long old = block;
    long oldBeyond = beyond;
    long oldEntries = entries;
    int n = size;
    if (!make(n + (n >> 1L))) {
      return false;
    }
    for (int e = 0; e < n; e++) {
      long at = oldEntries + (long) e * ENTRY;
      boolean _ = add(memory.get(at), memory.get(at + KEY), memory.getInt(at + NUMBER));
    }
    free(old, oldBeyond);
    return true;
  }

  private long head(long element) {
    long hash = ((element >>> 3) * 0x9E3779B97F4A7C15L) >>> 32;
    return block + (hash & mask) * Integer.BYTES;
  }

  private long at(int entry) {
    return entries + (long) entry * ENTRY;
  }

  /** Returns the first of an element's entries, or -1. */
  int first(long element) {
    return ofElement(memory.getInt(head(element)) - 1, element);
  }

  /** Returns the next entry of the same element, or -1. */
  int next(int entry) {
    return ofElement(memory.getInt(at(entry) + NEXT) - 1, memory.get(at(entry)));
  }

  private int ofElement(int entry, long element) {
    int e = entry;
    while (e >= 0 && memory.get(at(e)) != element) {
      e = memory.getInt(at(e) + NEXT) - 1;
    }
    return e;
  }

  /** Takes an element's entries out of the index; returns the first, or -1. */
  int take(long element) {
    int taken = 0;
    long head = head(element);
    long place = head;
    for (int e = memory.getInt(head); e != 0; e = memory.getInt(place)) {
      long link = at(e - 1) + NEXT;
      if (memory.get(at(e - 1)) == element) {
        memory.putInt(place, memory.getInt(link));
        memory.putInt(link, taken);
        taken = e;
      } else {
        place = link;
      }
    }
    return taken - 1;
  }

  long key(int entry) {
    return memory.get(at(entry) + KEY);
  }

  int number(int entry) {
    return memory.getInt(at(entry) + NUMBER);
  }

  /** Returns how many were entered since the index was made, those taken out included. */
  int size() {
    return size;
  }
}
