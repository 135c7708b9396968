package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.HOLE;
import static dev.gleaner.layout.TableLayout.entryAt;
import static dev.gleaner.layout.TableLayout.high;
import static dev.gleaner.layout.TableLayout.low;
import static dev.gleaner.layout.TableLayout.pack;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import java.util.function.LongUnaryOperator;

/**
 * Property tables of objects, laid out as {@link TableLayout} says.
 *
 * <p>Keys are in the normal form of {@link Keys}. Up to 8 entries are searched in order, more
 * through the hash part. Entries keep the order of insertion; deleting leaves a gap, in the hash
 * part too, until the next resize. A walk looks at each gap once, however often it comes by: a
 * deleted entry tells how many from it on are gaps for sure. What walks hold on to when a table is
 * built anew is in {@link EntryNumbers}, where one from keys stands in {@link PropertyMarks}.
 *
 * <p>No method collects: a put that needs room answers 0, and the caller makes room with {@link
 * #makeRoom} inside its own retries. While an object is being resized a compaction passes over it,
 * and over it alone (Duktape, "Future work").
 */
public final class PropertyTables {
  private static final int HASHED_FROM = 8;
  private static final int LARGEST = TableLayout.FIELD_MASK;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final Keys keys;
  private final EntryNumbers numbers;
  private final PropertyMarks marks;
  private final WeakObjects weak;
  private long resizing;
  private long refusedBytes;

  public PropertyTables(Memory memory, AllocationFunctions functions, Keys keys) {
    this.memory = memory;
    this.functions = functions;
    this.keys = keys;
    this.numbers = new EntryNumbers(memory);
    this.marks = new PropertyMarks(memory, keys);
    this.weak = new WeakObjects(memory, this);
  }

  /** The object that a compaction must pass over, 0 for none. */
  public long resizing() {
    return resizing;
  }

  public void setResizing(long object) {
    resizing = object;
  }

  /** The weak tables. */
  public WeakObjects weak() {
    return weak;
  }

  /** The rule of keys. */
  public Keys keys() {
    return keys;
  }

  /** Takes over the places to which that object, weak tables and what these lead to moved. */
  public void relocate(LongUnaryOperator moved) {
    weak.relocate(moved);
    if (resizing != 0) {
      resizing = moved.applyAsLong(resizing);
    }
  }

  /** The block with the properties of an object, weak or not; 0 if there is none. */
  public long table(long object) {
    long table = Values.raw(memory.get(object + Layout.OBJECT_TABLE));
    return (table & Layout.WEAK_MASK) == 0 ? table : weak.block(table);
  }

  private void setTable(long object, long table) {
    if (Layout.isWeak(memory.get(object))) {
      weak.setBlock(object, table);
    } else {
      memory.put(object + Layout.OBJECT_TABLE, Values.ofRaw(table));
    }
  }

  private long valueAt(long table, int index) {
    return TableLayout.arrayAt(memory, table) + ((long) index << 3);
  }

  /**
   * Searches a key.
   *
   * @return its entry, or negative
   */
  private long find(long table, long key) {
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    if (key == Keys.WIDE) {
      return findWide(table, log);
    }
    return log == 0 ? findInOrder(table, key) : findByHash(table, log, key, keys.hashToFind(key));
  }

  /**
   * Searches a key that is to be inserted if it is not there.
   *
   * @return its entry, or the complement of the empty place of the hash part where the search
   *     ended, of 0 if there is no hash part
   */
  private long findForPut(long table, long key) {
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    return log == 0 ? findInOrder(table, key) : findByHash(table, log, key, keys.hash(key));
  }

  /** Searches the integer that {@link Keys#WIDE} stands for, as {@link #findForPut} does. */
  private long findWide(long table, int log) {
    if (log == 0) {
      int used = low(memory.get(table + TableLayout.ENTRIES));
      for (int e = 0; e < used; e++) {
        if (keys.same(memory.get(entryAt(table, e)), Keys.WIDE)) {
          return entryAt(table, e);
        }
      }
      return ~0;
    }
    long hash = TableLayout.hashAt(memory, table);
    int mask = (1 << log) - 1;
    for (int i = keys.hashToFind(Keys.WIDE) & mask; ; i = (i + 1) & mask) {
      long place = hash + ((long) i << 2);
      int e = memory.getInt(place);
      if (e == 0 || keys.same(memory.get(entryAt(table, e - 1)), Keys.WIDE)) {
        return e == 0 ? ~place : entryAt(table, e - 1);
      }
    }
  }

  private long findInOrder(long table, long key) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    for (int e = 0; e < used; e++) {
      long at = entryAt(table, e);
      if (memory.getInShortLoop(at) == key) {
        return at;
      }
    }
    return ~0;
  }

  private long findByHash(long table, int log, long key, int hashOfKey) {
    long hash = TableLayout.hashAt(memory, table);
    int mask = (1 << log) - 1;
    for (int i = hashOfKey & mask; ; i = (i + 1) & mask) {
      long place = hash + ((long) i << 2);
      int e = memory.getInt(place);
      if (e == 0) {
        return ~place;
      }
      long at = entryAt(table, e - 1);
      if (memory.get(at) == key) {
        return at;
      }
    }
  }

  /** The place of a property's value, or 0; valid until the table is resized. */
  public long place(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    long at = find(table, key);
    return at < 0 ? 0 : at + TableLayout.VALUE;
  }

  /**
   * The place of a property's value; where there is no such property it is made, its value
   * undefined, and the answer is negative.
   *
   * @return 0 if there is no room
   */
  public long placeForPut(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    long at = findForPut(table, key);
    return at < 0 ? -insert(table, key, ~at) : at + TableLayout.VALUE;
  }

  /**
   * As {@link #placeForPut}, for a key that may be an integer of more than 32 bits, and then is an
   * element; one that the table has already stays.
   */
  public long placeForPutOfAny(long object, long key) {
    if (!Values.isReference(key) || !keys.isInteger(key)) {
      return placeForPut(object, key);
    }
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    long _ = keys.toFind(key);
    long at = find(table, Keys.WIDE);
    return at < 0 ? -insert(table, key, ~at) : at + TableLayout.VALUE;
  }

  private long insert(long table, long key, long hashPlace) {
    long entries = memory.get(table + TableLayout.ENTRIES);
    int e = low(entries);
    if (e == high(entries)) {
      return 0;
    }
    long at = entryAt(table, e);
    // Below the tag, to add one to a word is to add one to its lower field.
    memory.put(table + TableLayout.ENTRIES, entries + 1);
    memory.put(table + TableLayout.HASH, memory.get(table + TableLayout.HASH) + 1);
    memory.put(at, key);
    if (hashPlace != 0) {
      memory.putInt(hashPlace, e + 1);
    }
    return at + TableLayout.VALUE;
  }

  /** Whether there is room for one more entry. */
  public boolean hasRoom(long object) {
    long table = table(object);
    long entries = table == 0 ? 0 : memory.get(table + TableLayout.ENTRIES);
    return low(entries) < high(entries);
  }

  /**
   * Removes a property of which this is the value's place; what it held must have been noted.
   *
   * @return the key that the table holds no more: that of the property, unless a walk may go on
   *     from it; then one kept until now, or undefined
   */
  public long delete(long object, long place) {
    long table = table(object);
    long at = place - TableLayout.VALUE;
    long key = remove(table, at);
    return marks.isMarked(table) ? marks.keep(table, at, key) : key;
  }

  private long remove(long table, long at) {
    long key = memory.get(at);
    memory.put(at, Values.ofRaw(1));
    memory.put(at + TableLayout.VALUE, Values.UNDEFINED);
    memory.put(table + TableLayout.HASH, memory.get(table + TableLayout.HASH) - 1);
    return key;
  }

  /** Removes an entry as {@link #delete} does; only a walk that stands on it takes notice. */
  long clear(long object, long at) {
    long table = table(object);
    return marks.keepIfStood(table, at, remove(table, at));
  }

  /** Forgets a key that is kept for walks, and gone. */
  void forgetKept(long object, long key) {
    long table = table(object);
    if (table != 0) {
      marks.forget(table, key);
    }
  }

  /** Properties but for those of the array part. */
  public int count(long object) {
    long table = table(object);
    return table == 0 ? 0 : low(memory.get(table + TableLayout.HASH));
  }

  /**
   * The first entry with at least this number that is in use, or -1. From now on numbers of this
   * object's entries stay what they are.
   */
  public int next(long object, long number) {
    long table = table(object);
    if (table == 0) {
      return -1;
    }
    long hash = memory.get(table + TableLayout.HASH);
    if ((hash & TableLayout.WALKED) == 0) {
      memory.put(table + TableLayout.HASH, hash | TableLayout.WALKED);
    }
    return live(table, numbers.entry(table, number));
  }

  /** The number of an entry: the same for its life. */
  public long number(long object, int entry) {
    return numbers.number(table(object), entry);
  }

  /**
   * The first entry in use, for a key of 0, or the one behind that of a key: a property's, or the
   * one that was answered last here, or deleted last since the first answer.
   *
   * @return the entry; -1 at the end, -2 if there is no such key
   */
  public int nextAfter(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return key == 0 ? -1 : -2;
    }
    int from = key == 0 ? 0 : entryAfter(table, key);
    return from < 0 ? -2 : live(table, from);
  }

  private int entryAfter(long table, long key) {
    int marked = marks.find(table, key);
    if (marked > 0) {
      return marked;
    }
    long at = find(table, key);
    return at < 0 ? marks.findDeleted(table, key) : TableLayout.indexOf(table, at) + 1;
  }

  /**
   * Lets the walk from keys stand on an entry.
   *
   * @return the key that the table holds no more, or undefined
   */
  public long standOn(long object, int entry) {
    return marks.standOn(table(object), entry);
  }

  /** How many keys of deleted properties a table keeps for walks. */
  public int keptKeys(long object) {
    long table = table(object);
    return table == 0 ? 0 : marks.kept(table);
  }

  /** The first entry in use from this one on, or -1. */
  private int live(long table, int from) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    int e = from;
    while (e < used) {
      long key = memory.get(entryAt(table, e));
      if (!TableLayout.isDeleted(key)) {
        break;
      }
      e += low(key);
    }
    if (e - from > 1) {
      long at = entryAt(table, from);
      memory.put(at, pack(high(memory.get(at)), e - from));
    }
    return e < used ? e : -1;
  }

  public long key(long object, int entry) {
    return memory.get(entryAt(table(object), entry));
  }

  public long value(long object, int entry) {
    return memory.get(entryAt(table(object), entry) + TableLayout.VALUE);
  }

  /** The length of the array part. */
  public int arrayLength(long object) {
    long table = table(object);
    return table == 0 ? 0 : low(memory.get(table + TableLayout.ARRAY));
  }

  /** The place of an element of the array part below its length. */
  public long arrayPlace(long object, int index) {
    return valueAt(table(object), index);
  }

  /** Makes the array part longer, if there is room, with holes between. */
  public boolean extendArray(long object, int length) {
    long table = table(object);
    if (table == 0) {
      return false;
    }
    long array = memory.get(table + TableLayout.ARRAY);
    if (length > high(array)) {
      return false;
    }
    for (int i = low(array); i < length; i++) {
      memory.put(valueAt(table, i), HOLE);
    }
    memory.put(table + TableLayout.ARRAY, pack(high(array), length));
    return true;
  }

  /** Makes room for one more entry, or for an array part of this length. */
  public boolean makeRoom(long object, int arrayLength) {
    long table = table(object);
    int live = count(object);
    int kept = live + (table == 0 ? 0 : marks.kept(table));
    int array = table == 0 ? 0 : high(memory.get(table + TableLayout.ARRAY));
    int entries = table == 0 ? 0 : high(memory.get(table + TableLayout.ENTRIES));
    refusedBytes = (long) arrayLength << 3;
    if (arrayLength > array) {
      int roomy = Math.min(LARGEST, arrayLength + (arrayLength >> 1) + 2);
      return arrayLength <= LARGEST
          && (resize(object, entries, roomy) || resize(object, entries, arrayLength));
    }
    int roomy = Math.min(LARGEST, kept + (live >> 1) + 4);
    return kept < LARGEST && (resize(object, roomy, array) || resize(object, kept + 1, array));
  }

  /**
   * Makes properties of what the array part holds, with their indexes as keys.
   *
   * @return whether there was room; else nothing was changed
   */
  public boolean makeArrayProperties(long object) {
    int length = arrayLength(object);
    if (length == 0) {
      return true;
    }
    long table = table(object);
    long kept = (long) count(object) + marks.kept(table) + length;
    refusedBytes = kept * TableLayout.ENTRY;
    if (kept > LARGEST
        || !resize(object, (int) kept, high(memory.get(table + TableLayout.ARRAY)))) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      long value = memory.get(arrayPlace(object, i));
      if (value != HOLE) {
        memory.put(Math.abs(placeForPut(object, Values.ofInt(i))), value);
      }
    }
    table = table(object);
    long array = memory.get(table + TableLayout.ARRAY);
    memory.put(table + TableLayout.ARRAY, pack(high(array), 0));
    boolean _ = resize(object, low(memory.get(table + TableLayout.ENTRIES)), 0);
    return true;
  }

  /** The bytes of the last table for which there was no memory. */
  public long refusedBytes() {
    return refusedBytes;
  }

  /** Shrinks a table to what it holds, or frees it. */
  public void compact(long object) {
    long table = table(object);
    if (table == 0 || object == resizing) {
      return;
    }
    long hash = memory.get(table + TableLayout.HASH);
    int kept = low(hash) + marks.kept(table);
    int length = arrayLength(object);
    if (kept == 0 && length == 0 && (hash & TableLayout.WALKED) == 0) {
      setTable(object, 0);
      functions.free(table);
    } else {
      int entries = high(memory.get(table + TableLayout.ENTRIES));
      int array = high(memory.get(table + TableLayout.ARRAY));
      if (bytes(kept, length, numbers.runsWithoutGaps(table))
          < bytes(entries, array, numbers.runs(table))) {
        boolean _ = resize(object, kept, length);
      }
    }
  }

  private static long bytes(int entries, int array, int runs) {
    return TableLayout.FIRST
        + ((2L * entries + array) << 3)
        + TableLayout.hashBytes(hashLog(entries))
        + EntryNumbers.bytes(runs);
  }

  /** A hash part has at least twice the places that are needed. */
  static int hashLog(int entries) {
    return entries <= HASHED_FROM ? 0 : 32 - Integer.numberOfLeadingZeros(entries * 2 - 1);
  }

  /** Builds the table anew with these capacities, without gaps. */
  private boolean resize(long object, int entries, int array) {
    long table = table(object);
    int runs = table == 0 ? 0 : numbers.runsWithoutGaps(table);
    long bytes = bytes(entries, array, runs);
    long fresh = functions.alloc(bytes);
    if (fresh == 0) {
      refusedBytes = bytes;
      return false;
    }
    int live = count(object);
    int length = arrayLength(object);
    int log = hashLog(entries);
    long hash = (long) log << TableLayout.LOG_SHIFT | live;
    memory.put(fresh + TableLayout.ENTRIES, pack(entries, 0));
    memory.put(fresh + TableLayout.ARRAY, pack(array, length));
    if (table != 0) {
      long walked = memory.get(table + TableLayout.HASH) & TableLayout.WALKED;
      hash |= runs == 0 ? walked : walked | TableLayout.NUMBERED;
      int kept = copyEntries(table, fresh);
      memory.put(fresh + TableLayout.ENTRIES, pack(entries, kept));
    }
    memory.put(fresh + TableLayout.HASH, hash);
    int kept = low(memory.get(fresh + TableLayout.ENTRIES));
    long unused = entryAt(fresh, kept);
    memory.zero(unused, fresh + bytes - unused);
    if (runs > 0) {
      numbers.write(table, fresh);
    }
    if (kept > 0) {
      marks.carry(table, fresh);
    }
    if (log != 0) {
      enterAll(fresh, log, kept);
    }
    if (length > 0) {
      memory.copy(valueAt(table, 0), valueAt(fresh, 0), (long) length << 3);
    }
    setTable(object, fresh);
    functions.free(table);
    return true;
  }

  /** Copies all but the gaps; answers how many entries those are. */
  private int copyEntries(long table, long fresh) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    long to = fresh + TableLayout.FIRST;
    if (used == low(memory.get(table + TableLayout.HASH))) { // no gaps
      memory.copy(table + TableLayout.FIRST, to, (long) used * TableLayout.ENTRY);
      return used;
    }
    for (int e = 0; e < used; e++) {
      long from = entryAt(table, e);
      if (numbers.isKept(from)) {
        memory.put(to, memory.get(from));
        memory.put(to + TableLayout.VALUE, memory.get(from + TableLayout.VALUE));
        to += TableLayout.ENTRY;
      }
    }
    return TableLayout.indexOf(fresh, to);
  }

  private void enterAll(long table, int log, int entries) {
    long hash = TableLayout.hashAt(memory, table);
    int mask = (1 << log) - 1;
    for (int e = 0; e < entries; e++) {
      long key = memory.get(entryAt(table, e));
      if (TableLayout.isDeleted(key)) {
        continue;
      }
      int i = keys.hash(key) & mask;
      while (memory.getInt(hash + ((long) i << 2)) != 0) {
        i = (i + 1) & mask;
      }
      memory.putInt(hash + ((long) i << 2), e + 1);
    }
  }
}
