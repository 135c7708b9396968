package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.HOLE;
import static dev.gleaner.layout.TableLayout.entryAt;
import static dev.gleaner.layout.TableLayout.low;
import static dev.gleaner.layout.TableLayout.pack;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Property tables in heap images. What a program can observe of a table is written: the order of
 * keys, the array and the rule by which it grows, the positions of walks. Hashes and capacities are
 * not: the table that is read has its own.
 *
 * <pre>
 *   n: 0, no table; or {@link #EXISTS} and more flags
 *   n entries | n length of the array, if INDEXED | n runs, if NUMBERED
 *   entries   key, value; undefined, kept key where an entry was deleted (only if WALKED, FIXED or MARKED)
 *   INDEXED   n length | n bound | n due | n whether index 0 was in the array | n whether it is spread | n end of all that were in it | values
 *   MARKED    n entry that the walk stands on and 1 | n entry that was deleted last and 1
 *   NUMBERED  for each run: n first entry | n its number
 * </pre>
 */
public final class TableImage {
  private static final int EXISTS = 1;
  private static final int INDEXED = 2;
  private static final int FIXED = 4;
  private static final int WALKED = 8;
  private static final int MARKED = 16;
  private static final int NUMBERED = 32;
  private static final int ALL = 63;

  private final PropertyTables tables;
  private final Memory memory;
  private final IndexPart indexes;
  private final EntryNumbers numbers;
  private final PropertyMarks marks;

  public TableImage(PropertyTables tables, Memory memory) {
    this.tables = tables;
    this.memory = memory;
    this.indexes = tables.indexes();
    this.numbers = tables.entryNumbers();
    this.marks = tables.marks();
  }

  /** Takes what is written. */
  public interface Sink {
    void number(long n);

    void value(long value);
  }

  /** Gives what is read. */
  public interface Source {
    /** Returns a number, and refuses one that is larger than {@code most}. */
    int number(int most, String what);

    /** Returns a number of any size. */
    long longNumber(String what);

    /** Returns how many things follow of some bytes at least, and refuses more than there are. */
    int count(int bytesEach, int most, String what);

    long value();

    /** Returns the exception that refuses what was read last. */
    RuntimeException wrong(String what);

    /** Makes room after a request for memory was refused, or throws. */
    void makeRoom(int attempt, long bytes);
  }

  // ---- write ----

  /**
   * Writes the table of an object.
   *
   * @param isWritten whether a value is in the image, too; an entry of a weak table is not written
   *     without its key and its value
   */
  public void write(long object, LongPredicate isWritten, Sink sink) {
    long table = tables.table(object);
    if (table == 0) {
      sink.number(0);
      return;
    }
    long hash = memory.get(table + TableLayout.HASH);
    int flags = EXISTS;
    flags |= indexes.exists(table) ? INDEXED : 0;
    flags |= (hash & TableLayout.FIXED) != 0 ? FIXED : 0;
    flags |= (hash & TableLayout.WALKED) != 0 ? WALKED : 0;
    flags |= marks.isMarked(table) ? MARKED : 0;
    flags |= numbers.runs(table) > 0 ? NUMBERED : 0;
    boolean gaps = keepsGaps(flags);
    int used = low(memory.get(table + TableLayout.ENTRIES));
    int end = indexes.end(table);
    sink.number(flags);
    sink.number(gaps ? used : written(table, used, isWritten));
    if ((flags & INDEXED) != 0) {
      sink.number(end);
    }
    if ((flags & NUMBERED) != 0) {
      sink.number(numbers.runs(table));
    }
    for (int e = 0; e < used; e++) {
      long at = entryAt(table, e);
      if (isLive(at, isWritten)) {
        sink.value(memory.get(at));
        sink.value(memory.get(at + TableLayout.VALUE));
      } else if (gaps) {
        sink.value(Values.UNDEFINED);
        sink.value(kept(table, e, isWritten));
      }
    }
    if ((flags & INDEXED) != 0) {
      indexes.write(table, sink);
      for (int i = 0; i < end; i++) {
        sink.value(memory.get(TableLayout.arrayAt(memory, table) + ((long) i << 3)));
      }
    }
    if ((flags & MARKED) != 0) {
      sink.number(marks.stand(table) + 1L);
      sink.number(marks.last(table) + 1L);
    }
    if ((flags & NUMBERED) != 0) {
      numbers.write(table, sink);
    }
  }

  private static boolean keepsGaps(int flags) {
    return (flags & (FIXED | WALKED | MARKED | NUMBERED)) != 0;
  }

  private boolean isLive(long entry, LongPredicate isWritten) {
    return !TableLayout.isDeleted(memory.get(entry))
        && isWritten.test(memory.get(entry))
        && isWritten.test(memory.get(entry + TableLayout.VALUE));
  }

  private int written(long table, int used, LongPredicate isWritten) {
    int n = 0;
    for (int e = 0; e < used; e++) {
      n += isLive(entryAt(table, e), isWritten) ? 1 : 0;
    }
    return n;
  }

  /** Returns the key that a deleted entry keeps; null for one that is not in the image. */
  private long kept(long table, int entry, LongPredicate isWritten) {
    long at = entryAt(table, entry);
    if (!TableLayout.isDeleted(memory.get(at))) { // a weak entry, whose key or value is dead
      boolean stood = marks.isMarked(table) && marks.stand(table) == entry;
      return stood ? Values.NULL : Values.UNDEFINED;
    }
    long kept = memory.get(at + TableLayout.VALUE);
    return isWritten.test(kept) ? kept : Values.NULL;
  }

  // ---- read ----

  /**
   * Makes the table of an object from what a source gives. Only the first of its steps may collect.
   * The caller counts what the table holds.
   *
   * @param object returns the object, which may move while room is made; it has no table
   * @param isWeak whether the object becomes a weak table, which has no array
   */
  public void read(LongSupplier object, boolean isWeak, Source source) {
    int flags = source.number(ALL, "flags of a table");
    if (flags == 0) {
      return;
    }
    if ((flags & EXISTS) == 0) {
      throw source.wrong("flags of a table that is not there");
    }
    boolean indexed = (flags & INDEXED) != 0;
    int n = source.count(2, PropertyMarks.NO_ENTRY - 1, "the number of entries");
    int end = indexed ? source.count(1, IndexPart.MOST, "the length of an array") : 0;
    if (isWeak && end > 0) {
      throw source.wrong("a weak table with an array");
    }
    int runs = (flags & NUMBERED) != 0 ? source.count(2, n + 1, "the number of runs") : 0;
    long table = tables.prepare(n, end, indexed, runs);
    for (int attempt = 0; table == 0; attempt++) {
      source.makeRoom(attempt, tables.refusedBytes());
      table = tables.prepare(n, end, indexed, runs);
    }
    tables.adopt(object.getAsLong(), table);
    for (int e = 0; e < n; e++) {
      readEntry(table, flags, source);
    }
    if (indexed) {
      readArray(table, end, source);
    }
    tables.flag(
        table,
        ((flags & FIXED) != 0 ? TableLayout.FIXED : 0)
            | ((flags & WALKED) != 0 ? TableLayout.WALKED : 0));
    if ((flags & MARKED) != 0) {
      readMarks(table, n, source);
    }
    checkKept(table, n, isWeak, source);
    if (runs > 0) {
      readRuns(table, n, runs, source);
    }
  }

  private void readEntry(long table, int flags, Source source) {
    long key = source.value();
    long value = source.value();
    if (key == Values.UNDEFINED) {
      if (!keepsGaps(flags)) {
        throw source.wrong("a deleted entry where no walk is");
      }
      tables.addGap(table, value);
      return;
    }
    if (value == HOLE || !Keys.isKey(key) || isUninterned(key)) {
      throw source.wrong("an entry with a key or value that cannot be one");
    }
    boolean index = IndexPart.isIndex(key);
    if (index && !indexes.exists(table)) {
      throw source.wrong("an index in a table without indexes");
    }
    if (!tables.addEntry(table, key, value)) {
      throw source.wrong("a key that the table has twice");
    }
    if (index) {
      indexes.added(table, Values.toInt(key), true);
    }
  }

  private boolean isUninterned(long key) {
    return Values.isReference(key)
        && Layout.kind(memory.get(key)) == Layout.STRING
        && !StringBytes.isInterned(memory, key);
  }

  private void readArray(long table, int end, Source source) {
    indexes.read(table, source);
    long array = TableLayout.arrayAt(memory, table);
    for (int i = 0; i < end; i++) {
      long value = source.value();
      if (value != HOLE) {
        if (indexes.sparse(table) > 0 && tables.hasEntry(table, Values.ofInt(i))) {
          throw source.wrong("an index that is both in the array and among the entries");
        }
        memory.put(array + ((long) i << 3), value);
        indexes.restored(table, i);
      }
    }
    if (!indexes.isSound(table)) {
      throw source.wrong("figures of an array that do not fit what is in it");
    }
  }

  private void readMarks(long table, int n, Source source) {
    int stand = source.number(PropertyMarks.NO_ENTRY + 1, "the entry of a walk") - 1;
    int last = source.number(n, "the entry deleted last") - 1;
    boolean isEntry = stand >= 0 && stand < n;
    if (!isEntry && stand != PropertyMarks.NO_ENTRY && (stand >= 0 || last < 0)) {
      throw source.wrong("a walk on an entry that is not there");
    }
    if (last >= 0 && !TableLayout.isDeleted(memory.get(entryAt(table, last)))) {
      throw source.wrong("an entry deleted last that is not deleted");
    }
    marks.restore(table, stand, last);
  }

  /** Checks that exactly the marked entries keep keys. */
  private void checkKept(long table, int n, boolean isWeak, Source source) {
    int stand = marks.isMarked(table) ? marks.stand(table) : -1;
    int last = marks.isMarked(table) ? marks.last(table) : -1;
    for (int e = 0; e < n; e++) {
      long at = entryAt(table, e);
      if (!TableLayout.isDeleted(memory.get(at))) {
        continue;
      }
      long kept = memory.get(at + TableLayout.VALUE);
      boolean marked = e == stand || e == last;
      boolean isKey = (kept == Values.NULL && isWeak) || (Keys.isKey(kept) && !isUninterned(kept));
      if (marked ? !isKey : kept != Values.UNDEFINED) {
        throw source.wrong("a deleted entry that keeps no key, or one that no walk needs");
      }
    }
  }

  private void readRuns(long table, int n, int runs, Source source) {
    int first = -1;
    long number = -1;
    for (int run = 0; run < runs; run++) {
      int nextFirst = source.number(n, "the first entry of a run");
      long nextNumber = source.longNumber("the number of an entry");
      boolean rises =
          nextFirst > first
              && nextNumber > number + (nextFirst - first) - (run == 0 ? 1 : 0)
              && nextNumber > nextFirst
              && nextNumber < Long.MAX_VALUE >> 1;
      if (!rises) {
        throw source.wrong("numbers of entries that do not rise");
      }
      first = nextFirst;
      number = nextNumber;
      numbers.restore(table, run, first, number);
    }
    numbers.restored(table, runs);
    tables.flag(table, TableLayout.NUMBERED);
  }

  /** Returns the word of a deleted entry that begins one gap. */
  static long gap() {
    return pack(0, 1);
  }
}
