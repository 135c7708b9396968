package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.HOLE;
import static dev.gleaner.layout.TableLayout.high;
import static dev.gleaner.layout.TableLayout.low;
import static dev.gleaner.layout.TableLayout.pack;

import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.util.Arrays;

/**
 * The index part of a property table: the array of values, and figures about all integer keys from
 * 0 on.
 *
 * <pre>
 *   COUNTS   raw: indexes among the entries, indexes in the array
 *   LENGTH   raw: 45     | 44   | 43 37 | 36 32 | 31     0
 *               | SPREAD | ZERO | DUE   | BOUND | length |    DUE: 5 bits e, 2 bits m,
 *                                                              for (4 + m) · 2^e
 *   FIRST    raw: end of all indexes that were ever in the array, lower bound of those in it
 *   array    values, or {@link TableLayout#HOLE}
 * </pre>
 *
 * <p>A new index goes to the array if it is below 2^BOUND, or if the array up to this index is then
 * more than half full: {@code index < 2 · (present + 1)}. So appending fills the array. All other
 * indexes become entries.
 *
 * <p>A count is due when DUE indexes are entries, and these are at least an eighth of all entries.
 * The count groups all indexes by powers of two. If more than half of the indexes below a power of
 * two are present, that power is the new BOUND, as in Lua's tables, and the indexes below it move
 * to the array. Then DUE grows by half, so that counting takes constant time for each put.
 *
 * <p>ZERO is set once index 0 was in the array. So a walk continues behind a removed index, but not
 * behind one that never was.
 *
 * <p>SPREAD is set when an index is put behind the end of an array with holes, or leaves a hole
 * there. It is cleared when the array is empty. A table of Lua may have made its array shorter when
 * such an index came. So the search of a border then begins further down.
 *
 * <p>These rules do not depend on capacities, which depend on free memory. So the place of a key,
 * and the order of a walk, are the same under all collectors. A key is either in the array or among
 * the entries. After the first walk over a table its keys stay where they are ({@link
 * TableLayout#FIXED}), so that a walk sees each key once.
 */
final class IndexPart {
  /** The largest capacity of the array. */
  static final int MOST = TableLayout.FIELD_MASK - TableLayout.INDEX_WORDS;

  /** Steps of walks count runs of holes from this length on: 16 KiB. */
  private static final int LONG_RUN = 2048;

  /** The number of indexes among the entries before the first count. */
  static final int FIRST_DUE = 4;

  private static final int BOUND_SHIFT = 32;
  private static final int DUE_SHIFT = 37;
  private static final int LOG_MASK = 31;
  private static final int DUE_MASK = 127;
  private static final long ZERO = 1L << 44;
  private static final long SPREAD = 1L << 45;

  /** The code of a count that is due only when no more indexes fit. */
  private static final int MOST_DUE = 4 * (TableLayout.FIELD_BITS - 2) + 3;

  private static final int MOST_BOUND = TableLayout.FIELD_BITS - 1;
  private static final long LENGTH_MASK = 0xFFFF_FFFFL;

  private final Memory memory;
  private final int[] below = new int[Integer.SIZE];

  /** The holes that steps of walks have passed and nobody was told of, short runs apart. */
  private long passed;

  IndexPart(Memory memory) {
    this.memory = memory;
  }

  /** Whether an integer is an index. The largest integer is none, as no length exceeds it. */
  static boolean isIndex(int key) {
    return key >= 0 && key != Integer.MAX_VALUE;
  }

  static boolean isIndex(long key) {
    return Values.isInt(key) && isIndex(Values.toInt(key));
  }

  /** Returns the words of an index part with a capacity. */
  static int words(boolean exists, int capacity) {
    return exists ? TableLayout.INDEX_WORDS + capacity : 0;
  }

  boolean exists(long table) {
    return high(memory.get(table + TableLayout.ARRAY)) != 0;
  }

  int capacity(long table) {
    return low(memory.get(table + TableLayout.ARRAY));
  }

  private long counts(long table) {
    return TableLayout.indexPartAt(memory, table);
  }

  private long lengthWord(long table) {
    return counts(table) + 8;
  }

  private long firstWord(long table) {
    return counts(table) + 16;
  }

  /** Returns the number of indexes in the array. */
  int present(long table) {
    return exists(table) ? low(memory.get(counts(table))) : 0;
  }

  /** Returns the number of indexes in the array, 0 apart. */
  int presentFromOne(long table) {
    int present = low(memory.get(counts(table)));
    boolean isZero = present > 0 && memory.get(TableLayout.arrayAt(memory, table)) != HOLE;
    return isZero ? present - 1 : present;
  }

  /** Returns the last of all indexes that were ever in the array, or 0. */
  int last(long table) {
    return Math.max(0, high(memory.get(firstWord(table))) - 1);
  }

  /** Whether the array may be longer than that of a table of Lua. */
  boolean isSpread(long table) {
    return (memory.get(lengthWord(table)) & SPREAD) != 0;
  }

  /** Returns the next power of two; 0 for 0. */
  static int roundUp(int n) {
    return n == 0 ? 0 : 1 << ceilLog(n);
  }

  /** Returns the number of indexes among the entries. */
  int sparse(long table) {
    return exists(table) ? high(memory.get(counts(table))) : 0;
  }

  int length(long table) {
    return exists(table) ? (int) memory.get(lengthWord(table)) : 0;
  }

  void setLength(long table, int length) {
    long at = lengthWord(table);
    memory.put(at, (memory.get(at) & ~LENGTH_MASK) | length);
  }

  private int bound(long table) {
    return (int) (memory.get(lengthWord(table)) >>> BOUND_SHIFT) & LOG_MASK;
  }

  private void setBound(long table, int log) {
    setField(table, BOUND_SHIFT, LOG_MASK, log);
  }

  private void setField(long table, int shift, int mask, int value) {
    long at = lengthWord(table);
    memory.put(at, (memory.get(at) & ~((long) mask << shift)) | (long) value << shift);
  }

  private static int due(int code) {
    return (FIRST_DUE + (code & 3)) << (code >> 2);
  }

  /** Sets the number of indexes among the entries at which the next count is due. */
  private void setDue(long table, int least) {
    int code = 0;
    while (due(code) < least) {
      code++;
    }
    setField(table, DUE_SHIFT, DUE_MASK, code);
  }

  /** Whether a new index goes to the array; 0 stands for an empty table. */
  boolean goesToArray(long table, int index) {
    return goesToArray(table, index, 0);
  }

  boolean goesToArray(long table, int index, int more) {
    if (table == 0 || !exists(table)) {
      return index < MOST && index < 2L * more + 2;
    }
    int present = low(memory.get(counts(table))) + more;
    return index < MOST && (index < 1 << bound(table) || index < 2L * present + 2);
  }

  /** Sets that indexes below a number go to the array. */
  void expect(long table, int elements) {
    setBound(table, Math.min(MOST_BOUND, ceilLog(elements)));
  }

  private static int ceilLog(int n) {
    return n <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
  }

  /** Whether a count is due, for a number of entries and of new indexes. */
  boolean isDue(long table, int entries, int more) {
    int sparse = sparse(table) + more;
    return sparse >= due((int) (memory.get(lengthWord(table)) >>> DUE_SHIFT) & DUE_MASK)
        && sparse >= entries >> 3;
  }

  /** Begins to count the indexes among the entries. */
  void beginCount() {
    Arrays.fill(below, 0);
  }

  void countKey(long key) {
    if (isIndex(key)) {
      below[ceilLog(Values.toInt(key) + 1)]++;
    }
  }

  /** Returns the logarithm of the new bound after a count; 0 if the bound stays. */
  int countedBound(long table) {
    int found = 0;
    int n = present(table);
    for (int log = 0; log <= MOST_BOUND; log++) {
      n += below[log];
      if (log > bound(table) && n > 1 << (log - 1)) {
        found = log;
      }
    }
    return found;
  }

  /**
   * Ends a count, and sets a new bound if there is one. The next count is due after half as many
   * more.
   */
  void endCount(long table, int bound) {
    if (bound > 0) {
      setBound(table, bound);
    }
    int sparse = sparse(table) + 1;
    setDue(table, sparse + (sparse >> 1));
  }

  /** Notes an index that was put into the array, or among the entries. */
  void added(long table, int index, boolean isSparse) {
    long counts = counts(table);
    memory.put(counts, memory.get(counts) + (isSparse ? 1L << TableLayout.FIELD_BITS : 1));
    if (index >= length(table)) {
      setLength(table, index + 1);
    }
    int last = last(table);
    if (index > last) {
      int n = presentFromOne(table) - (isSparse ? 0 : 1);
      if (n != (isSparse ? last : index - 1)) {
        set(table, SPREAD);
      }
    }
    if (!isSparse) {
      inArray(table, index, index + 1);
    }
  }

  /**
   * Notes the index behind the last one, if the array is more than half full and has room; the
   * first one is 1. Returns false, and does nothing, elsewhere. This is what {@link #added} does,
   * with fewer accesses, and only where SPREAD stays as it is.
   */
  boolean append(long table, int index) {
    long at = counts(table);
    long counts = memory.get(at);
    long length = memory.get(at + 8);
    long first = memory.get(at + 16);
    int end = (int) length;
    boolean isNext = index > 0 && (end == index || (index == 1 && end == 0)) && high(first) == end;
    boolean isFull = index < 2L * low(counts) + 2;
    int withZero = low(counts) + ((length & ZERO) == 0 ? 1 : 0);
    boolean stays = (length & SPREAD) != 0 || withZero >= index; // else there is a hole
    if (!isNext || !isFull || !stays || high(counts) > 0 || index >= capacity(table)) {
      return false;
    }
    memory.put(at, counts + 1);
    memory.put(at + 8, length + index + 1 - end);
    memory.put(at + 16, pack(index + 1, Math.min(index, low(first))));
    return true;
  }

  /** Notes indexes that come into the array. */
  private void inArray(long table, int from, int end) {
    long at = firstWord(table);
    long first = memory.get(at);
    if (end > high(first) || from < low(first)) {
      memory.put(at, pack(Math.max(end, high(first)), Math.min(from, low(first))));
    }
    if (from == 0) {
      set(table, ZERO);
    }
  }

  private void set(long table, long flag) {
    long at = lengthWord(table);
    memory.put(at, memory.get(at) | flag);
  }

  /** Notes that the last index in the array was removed. */
  private void emptied(long table) {
    long at = lengthWord(table);
    memory.put(at, memory.get(at) & ~SPREAD);
    setBound(table, 0);
  }

  /** Notes an index among the entries that was deleted. */
  void removedSparse(long table) {
    long counts = counts(table);
    memory.put(counts, memory.get(counts) - (1L << TableLayout.FIELD_BITS));
    if (sparse(table) == 0) {
      setDue(table, 0);
    }
  }

  /** Makes a hole. */
  void remove(long table, long place) {
    memory.put(place, HOLE);
    long counts = counts(table);
    memory.put(counts, memory.get(counts) - 1);
    if (low(memory.get(counts)) == 0) {
      emptied(table);
    }
  }

  /**
   * Notes many changes of the array: the number of added indexes, and their range. Where holes
   * alone moved the bound stays: a put that comes after has its room in the array.
   */
  void changed(long table, int more, int from, int end) {
    long counts = counts(table);
    memory.put(counts, memory.get(counts) + more);
    if (more < 0 && low(memory.get(counts)) == 0) {
      emptied(table);
    }
    if (end > from) {
      inArray(table, from, end);
      setLength(table, Math.max(end, length(table)));
    }
  }

  void setFirst(long table, int index) {
    long at = firstWord(table);
    memory.put(at, pack(high(memory.get(at)), index));
  }

  /** Lowers the bound when the length is cut. */
  void cutBound(long table, int length) {
    if (length < 1 << bound(table)) {
      setBound(table, ceilLog(length));
    }
  }

  /**
   * Returns the first index in the array from an index on, or -1. A step of a walk counts the holes
   * that it passes, but not those behind all indexes that ever were: their number depends on the
   * collector.
   */
  int next(long table, int from, boolean isStep) {
    int capacity = capacity(table);
    if (capacity == 0) {
      return -1;
    }
    long bounds = memory.get(firstWord(table));
    int first = low(bounds);
    int start = Math.max(from, first);
    int i = start;
    long array = TableLayout.arrayAt(memory, table);
    while (i < capacity && memory.get(array + ((long) i << 3)) == HOLE) {
      i++;
    }
    int holes = Math.min(i, high(bounds)) - start;
    if (isStep && holes >= LONG_RUN) {
      passed += holes;
    }
    if (from <= first) {
      setFirst(table, Math.min(i, MOST));
    }
    return i < capacity ? i : -1;
  }

  /** Returns how many holes steps of walks have passed in long runs since the last call. */
  long takePassed() {
    long n = passed;
    if (n > 0) {
      passed = 0;
    }
    return n;
  }

  /** Returns the end of the indexes in the array. */
  int end(long table) {
    int i = capacity(table);
    if (i > 0) {
      long array = TableLayout.arrayAt(memory, table);
      while (i > 0 && memory.get(array + ((long) (i - 1) << 3)) == HOLE) {
        i--;
      }
    }
    return i;
  }

  /**
   * Whether a walk continues behind an index that is no longer there: the index was in the array,
   * or is a hole of it.
   */
  boolean wasInArray(long table, int index) {
    return exists(table)
        && index < high(memory.get(firstWord(table)))
        && (index > 0 || (memory.get(lengthWord(table)) & ZERO) != 0);
  }

  /** Whether the index part is equal to a new one. */
  boolean isAsNew(long table) {
    return low(memory.get(counts(table))) == 0
        && high(memory.get(counts(table))) == 0
        && high(memory.get(firstWord(table))) == 0
        && (memory.get(lengthWord(table)) & ~ZERO) == Values.ofRaw(0);
  }

  /** Makes the index part of a fresh table from an old table's part, or from none. */
  void copy(long table, long fresh) {
    long to = counts(fresh);
    int capacity = capacity(fresh);
    int old = 0;
    if (table != 0 && exists(table)) {
      old = Math.min(capacity, capacity(table));
      memory.copy(counts(table), to, TableLayout.INDEX_WORDS * 8L + ((long) old << 3));
    } else {
      memory.put(to, pack(0, 0));
      memory.put(to + 8, Values.ofRaw(0));
      memory.put(to + 16, pack(0, 0));
    }
    long array = TableLayout.arrayAt(memory, fresh);
    for (int i = old; i < capacity; i++) {
      memory.put(array + ((long) i << 3), HOLE);
    }
  }

  // ---- images ----

  /** Writes the figures that what the table holds does not show. */
  void write(long table, TableImage.Sink sink) {
    long word = memory.get(lengthWord(table));
    sink.number(length(table));
    sink.number(bound(table));
    sink.number(word >>> DUE_SHIFT & DUE_MASK);
    sink.number((word & ZERO) == 0 ? 0 : 1);
    sink.number((word & SPREAD) == 0 ? 0 : 1);
    sink.number(high(memory.get(firstWord(table))));
  }

  /** Reads these figures. */
  void read(long table, TableImage.Source source) {
    int length = source.number(Integer.MAX_VALUE, "the length of an array");
    if (length < length(table)) {
      throw source.wrong("an array that is shorter than what is in it");
    }
    setLength(table, length);
    setBound(table, source.number(MOST_BOUND, "the bound of an array"));
    setField(table, DUE_SHIFT, DUE_MASK, source.number(MOST_DUE, "the next count of indexes"));
    if (source.number(1, "whether there was an index 0") == 1) {
      set(table, ZERO);
    }
    if (source.number(1, "whether an array is spread") == 1) {
      set(table, SPREAD);
    }
    memory.put(firstWord(table), pack(source.number(MOST, "the end of an array"), MOST));
  }

  /** Notes an index that an image has in the array. */
  void restored(long table, int index) {
    memory.put(counts(table), memory.get(counts(table)) + 1);
    long first = memory.get(firstWord(table));
    if (index < low(first)) {
      setFirst(table, index);
    }
  }

  /** Whether the figures fit the array. */
  boolean isSound(long table) {
    int end = end(table);
    boolean isZero = end > 0 && memory.get(TableLayout.arrayAt(memory, table)) != HOLE;
    return end <= length(table)
        && end <= high(memory.get(firstWord(table)))
        && (!isZero || (memory.get(lengthWord(table)) & ZERO) != 0);
  }

  /** Moves an index from the entries to the array of a fresh table. */
  void move(long table, int index, long value) {
    memory.put(TableLayout.arrayAt(memory, table) + ((long) index << 3), value);
    long counts = counts(table);
    memory.put(counts, memory.get(counts) + 1 - (1L << TableLayout.FIELD_BITS));
    inArray(table, index, index + 1);
  }
}
