package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.text.ByteWords;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The table of interned strings (Duktape, "String table"): closed hashing with linear probes in one
 * auxiliary block, a power of two of 8-byte entries.
 *
 * <pre>
 *   entry:  0 empty | 1 deleted | offset over 8 (39 bits), hash (25 bits)
 * </pre>
 *
 * With the hash in the entry, a search reads few strings that differ, and a rehash reads no string.
 * The table's references are weak: a collection drops the entries of dead strings. The table
 * doubles at a load of 3/8, deleted entries included. At this load most probes end at their first
 * entry, which the processor predicts. The table shrinks in a collection if it is less than 1/16
 * full. A resize may fail for want of memory as long as one entry stays empty.
 *
 * <p>While an image is read the table doubles at 7/8 only; the first new string after that lets it
 * grow. So an image of a heap that was nearly full, whose table could not grow, can be opened under
 * the same limit.
 */
public final class StringTable {
  /** Leaves the offset enough bits for 4 TiB; page numbers reach only 2 TiB. */
  private static final int HASH_BITS = 25;

  private static final long HASH_MASK = (1L << HASH_BITS) - 1;
  private static final long DELETED = 1;

  private static final int USUAL = 3;
  private static final int DENSE = 7;

  /** Entries that a sweep in slices looks at between two looks at the clock. */
  private static final int SWEPT_AT_ONCE = 2048;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final int initial;
  private long table;
  private int capacity;

  /** Spreads the hashes over a table with more entries than there are hashes. */
  private int spread;

  private int used;
  private int live;

  /** The eighths of the table that may be used before it doubles. */
  private int fullAt = USUAL;

  /** Entries below this are swept, if a sweep in slices is under way. */
  private int sweepAt;

  /** The empty entry at which the last search ended. */
  private int missed;

  public StringTable(Memory memory, AllocationFunctions functions, int initial) {
    this.memory = memory;
    this.functions = functions;
    this.initial = initial;
  }

  /** Returns the number of strings in the table. */
  public int size() {
    return live;
  }

  /** Returns the offset of the table's block; 0 if there is none. */
  public long offset() {
    return table;
  }

  /** Returns the bytes of the table. */
  public long bytes() {
    return (long) capacity << 3;
  }

  /** Returns the string with the given bytes, or 0. */
  public long find(byte[] bytes, int offset, int length, int hash) {
    if (capacity == 0) {
      return 0;
    }
    int mask = capacity - 1;
    for (int i = home(hash) & mask; ; i = (i + 1) & mask) {
      long entry = memory.get(table + ((long) i << 3));
      if (entry == 0) {
        missed = i;
        return 0;
      }
      if ((entry & HASH_MASK) == (hash & HASH_MASK) && entry != DELETED) {
        long string = string(entry);
        if (equal(string, bytes, offset, length)) {
          return string;
        }
      }
    }
  }

  /** Returns the string of the table that has the bytes and hash of a string, or 0. */
  public long find(long string, int hash) {
    if (capacity == 0) {
      return 0;
    }
    int mask = capacity - 1;
    for (int i = home(hash) & mask; ; i = (i + 1) & mask) {
      long entry = memory.get(table + ((long) i << 3));
      if (entry == 0) {
        return 0;
      }
      if ((entry & HASH_MASK) == (hash & HASH_MASK) && entry != DELETED) {
        long other = string(entry);
        if (StringBytes.equal(memory, string, other)) {
          return other;
        }
      }
    }
  }

  private int home(int hash) {
    return home(hash, spread);
  }

  private static int home(int hash, int spread) {
    return (hash & (int) HASH_MASK) << spread;
  }

  private boolean equal(long string, byte[] bytes, int offset, int length) {
    if ((int) memory.get(string + Layout.STRING_WORD) != length) {
      return false;
    }
    long at = string + Layout.STRING_BYTES;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (memory.get(at + i) != (long) ByteWords.LONG.get(bytes, offset + i)) {
        return false;
      }
    }
    return i == length || memory.get(at + i) == ByteWords.tail(bytes, offset + i, length - i);
  }

  /** Whether an insertion now needs memory first. */
  public boolean isFull() {
    return (used + 1) * 8L > (long) capacity * fullAt;
  }

  /** An image is read from now on. */
  public void beginImage() {
    fullAt = DENSE;
  }

  /** The image is read. */
  public void endImage() {
    fullAt = USUAL;
  }

  /**
   * Makes room for an insertion.
   *
   * @return false if there is neither memory nor a free entry
   */
  public boolean makeRoom() {
    if (isFull()) {
      rehash(Math.max(initial, live * 4L < capacity ? capacity : capacity * 2));
    }
    return used + 1 < capacity;
  }

  /** Adds a string that is not in the table; there must be room. */
  public void insert(long string, int hash) {
    int mask = capacity - 1;
    int i = home(hash) & mask;
    long at = table + ((long) i << 3);
    while (isString(memory.get(at))) {
      i = (i + 1) & mask;
      at = table + ((long) i << 3);
    }
    int more = memory.get(at) == 0 ? 1 : 0;
    memory.put(at, string >>> 3 << HASH_BITS | (hash & HASH_MASK));
    used += more;
    live++;
  }

  /** Does {@link #insert} without a search, right after {@link #find} returned 0. */
  public void insertMissed(long string, int hash) {
    memory.put(table + ((long) missed << 3), string >>> 3 << HASH_BITS | (hash & HASH_MASK));
    used++;
    live++;
  }

  /**
   * Removes a string, and closes the gap, so that no deleted entry remains. Does nothing for a
   * string that is not interned.
   */
  public void remove(long string) {
    if ((memory.get(string) & Layout.FLAG_UNINTERNED) != 0) {
      return;
    }
    removeAt(indexOf(string));
  }

  private int indexOf(long string) {
    int mask = capacity - 1;
    int i = home((int) (memory.get(string + Layout.STRING_WORD) >>> 32)) & mask;
    while (string(entry(i)) != string) {
      if (entry(i) == 0) {
        throw new IllegalStateException("no such string in the table");
      }
      i = (i + 1) & mask;
    }
    return i;
  }

  /** Removes an entry's string and closes the gap. */
  private void removeAt(int i) {
    int mask = capacity - 1;
    live--;
    int gap = i;
    for (int at = (i + 1) & mask; ; at = (at + 1) & mask) {
      long entry = entry(at);
      if (entry == 0) {
        memory.put(table + ((long) gap << 3), 0);
        used--;
        return;
      }
      if (entry == DELETED) { // a sweep deleted it; a probe may have to pass here
        memory.put(table + ((long) gap << 3), DELETED);
        return;
      }
      // An entry moves into the gap if the search from its home passes the gap.
      if (((at - home((int) entry)) & mask) >= ((at - gap) & mask)) {
        memory.put(table + ((long) gap << 3), entry);
        if (gap < sweepAt && at >= sweepAt) {
          sweepAt = gap; // a sweep in slices did not look at the entry yet
        }
        gap = at;
      }
    }
  }

  private long entry(int i) {
    return memory.get(table + ((long) i << 3));
  }

  /** Drops the entries of strings that are not live. */
  public void sweep(LongPredicate isLive) {
    for (int i = 0; i < capacity; i++) {
      long at = table + ((long) i << 3);
      long entry = memory.get(at);
      if (isString(entry) && !isLive.test(string(entry))) {
        memory.put(at, DELETED);
        live--;
      }
    }
  }

  /** Begins a sweep that {@link #sweepUntil} goes on with. */
  public void beginSweep() {
    sweepAt = 0;
  }

  /**
   * Removes strings that are not live, until the deadline. It closes the gaps, so it leaves no
   * deleted entries, for which the table would have to be built anew. Strings that are added
   * meanwhile are live.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether all are swept
   */
  public boolean sweepUntil(long deadline, LongPredicate isLive) {
    while (sweepAt < capacity) {
      int end = Math.min(capacity, sweepAt + SWEPT_AT_ONCE);
      while (sweepAt < end) {
        long entry = entry(sweepAt);
        if (isString(entry) && !isLive.test(string(entry))) {
          removeAt(sweepAt); // another may come into its place
        } else {
          sweepAt++;
        }
      }
      if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return sweepAt == capacity;
      }
    }
    return true;
  }

  /**
   * Updates the place of a string that moved. The old place can still be read. Does nothing for a
   * string that is not interned.
   *
   * @param string the old place
   * @param to the new place
   */
  public void relocate(long string, long to) {
    if ((memory.get(to) & Layout.FLAG_UNINTERNED) != 0) {
      return;
    }
    int i = indexOf(string);
    memory.put(table + ((long) i << 3), to >>> 3 << HASH_BITS | (entry(i) & HASH_MASK));
  }

  /** Updates the places of all strings that moved. */
  public void relocate(LongUnaryOperator moved) {
    for (int i = 0; i < capacity; i++) {
      long at = table + ((long) i << 3);
      long entry = memory.get(at);
      if (isString(entry)) {
        long string = moved.applyAsLong(string(entry));
        memory.put(at, string >>> 3 << HASH_BITS | (entry & HASH_MASK));
      }
    }
  }

  /** Rehashes, and shrinks if the gain is large; after a sweep, unless a flag forbids it. */
  public void tidy() {
    int want = capacity;
    while (want > initial && live * 16L < want) {
      want >>= 1;
    }
    if (want < capacity || used - live > capacity >> 3) {
      rehash(want);
    }
  }

  /** Calls back for each string. */
  public void forEach(OffsetVisitor visitor) {
    for (int i = 0; i < capacity; i++) {
      long entry = memory.get(table + ((long) i << 3));
      if (isString(entry)) {
        visitor.visit(string(entry));
      }
    }
  }

  /** Frees the table. */
  public void close() {
    long old = table;
    table = 0;
    capacity = 0;
    functions.free(old);
  }

  /** Whether an entry is neither empty nor deleted: offset 0 is no string's. */
  private static boolean isString(long entry) {
    return entry >>> HASH_BITS != 0;
  }

  private static long string(long entry) {
    return entry >>> HASH_BITS << 3;
  }

  /** Builds the table anew with a number of entries, if there is memory. */
  private void rehash(int want) {
    long bytes = (long) want << 3;
    long fresh = functions.alloc(bytes);
    if (fresh == 0) {
      return;
    }
    memory.zero(fresh, bytes);
    int newSpread = Math.max(0, Integer.numberOfTrailingZeros(want) - HASH_BITS);
    int mask = want - 1;
    for (int i = 0; i < capacity; i++) {
      long entry = memory.get(table + ((long) i << 3));
      if (isString(entry)) {
        int j = home((int) entry, newSpread) & mask;
        while (memory.get(fresh + ((long) j << 3)) != 0) {
          j = (j + 1) & mask;
        }
        memory.put(fresh + ((long) j << 3), entry);
      }
    }
    long old = table;
    table = fresh;
    capacity = want;
    spread = newSpread;
    used = live;
    sweepAt = 0; // all entries have other places
    functions.free(old); // last: now nothing leads to the old block
  }
}
