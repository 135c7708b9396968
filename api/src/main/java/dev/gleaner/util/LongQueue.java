package dev.gleaner.util;

import java.util.Arrays;

/**
 * A queue of longs with two ends, in parts of a ring: no step of it moves more than the list of its
 * parts, and only when that doubles.
 *
 * <pre>
 *   parts:  [ ... | first: . . h x x | x x x x x | x x . . . | ... ]      h: head, in the first part
 * </pre>
 */
public final class LongQueue {
  private static final int SHIFT = 9;
  private static final int PART = 1 << SHIFT;
  private static final long[] NONE = {};

  private long[][] parts = {NONE};
  private int first;
  private int head;
  private int size;

  /** A part that is free: who adds and takes at one end by turns allocates nothing. */
  private long[] spare = NONE;

  /** Makes an empty queue; it takes memory with the first long. */
  public LongQueue() {}

  /** Returns how many there are. */
  public int size() {
    return size;
  }

  /** Returns whether there are none. */
  public boolean isEmpty() {
    return size == 0;
  }

  private int part(int at) {
    return (first + (at >>> SHIFT)) & (parts.length - 1);
  }

  /** Returns the i-th. */
  public long get(int i) {
    int at = head + i;
    return parts[part(at)][at & (PART - 1)];
  }

  /** Sets the i-th. */
  public void set(int i, long value) {
    int at = head + i;
    parts[part(at)][at & (PART - 1)] = value;
  }

  /** Adds one at the end. */
  public void addLast(long value) {
    int at = head + size;
    if (at >>> SHIFT == parts.length) {
      grow();
    }
    take(part(at));
    set(size++, value);
  }

  /** Adds one at the begin. */
  public void addFirst(long value) {
    if (head == 0) {
      if ((size + PART - 1) >>> SHIFT == parts.length) {
        grow();
      }
      first = (first - 1) & (parts.length - 1);
      take(first);
      head = PART;
    }
    head--;
    size++;
    set(0, value);
  }

  private void grow() {
    long[][] more = new long[parts.length * 2][];
    Arrays.fill(more, parts.length, more.length, NONE);
    for (int p = 0; p < parts.length; p++) {
      more[p] = parts[part(p << SHIFT)];
    }
    parts = more;
    first = 0;
  }

  private void take(int p) {
    if (parts[p].length == 0) {
      parts[p] = spare.length > 0 ? spare : new long[PART];
      spare = NONE;
    }
  }

  private void release(int p) {
    spare = parts[p];
    parts[p] = NONE;
  }

  /** Takes the first; there is one. */
  public long pollFirst() {
    long value = get(0);
    size--;
    if (++head == PART) {
      release(first);
      first = (first + 1) & (parts.length - 1);
      head = 0;
    }
    return value;
  }

  /** Takes the last; there is one. */
  public long pollLast() {
    long value = get(--size);
    int at = head + size;
    if ((at & (PART - 1)) == 0) {
      release(part(at));
    }
    return value;
  }

  /** Forgets all, and gives the memory back. */
  public void clear() {
    parts = new long[][] {NONE};
    spare = NONE;
    first = 0;
    head = 0;
    size = 0;
  }
}
