package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.HOLE;
import static dev.gleaner.layout.TableLayout.entryAt;
import static dev.gleaner.layout.TableLayout.high;
import static dev.gleaner.layout.TableLayout.low;
import static dev.gleaner.layout.TableLayout.pack;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.RawSpace;
import dev.gleaner.weak.WeakObjects;
import java.util.function.LongUnaryOperator;

/**
 * Property tables of objects; {@link TableLayout} describes their layout.
 *
 * <p>Keys are in the normal form of {@link Keys}. A table of up to 8 entries is searched in order,
 * a larger table through its hash part. Entries keep the order of insertion. Deleting leaves a gap,
 * also in the hash part, until the next resize. A deleted entry has the number of the gaps from
 * there on, so a walk looks at each gap only once. {@link EntryNumbers} keeps walks valid when a
 * table is built anew. {@link PropertyMarks} has the positions of walks from keys.
 *
 * <p>No method collects. A put that needs room returns 0, and the caller makes room with {@link
 * #makeRoom} inside its own retries. A compaction skips the one object that is being resized
 * (Duktape, "Future work").
 */
public final class PropertyTables implements WeakObjects.Entries {
  private static final int HASHED_FROM = 8;
  private static final int LARGEST = PropertyMarks.NO_ENTRY - 1;

  /** Positions of a walk from this number on are entries; lower positions are array indexes. */
  public static final int ENTRY_POSITIONS = 1 << TableLayout.FIELD_BITS;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final Keys keys;
  private final IndexPart indexes;
  private final EntryNumbers numbers;
  private final PropertyMarks marks;
  private final WeakObjects weak;
  private final BlockWatch watch;
  private long refusedBytes;

  /**
   * The object that a compaction must skip; 0 for none. As a field, it can be reset even at the end
   * of the Java stack.
   */
  public long resizing;

  /**
   * Makes the tables of a heap.
   *
   * @param raw the memory, and what the heap itself needs for weak tables
   * @param functions allocate the tables
   * @param watch told of blocks that are replaced
   */
  public PropertyTables(RawSpace raw, AllocationFunctions functions, Keys keys, BlockWatch watch) {
    this.memory = raw.memory();
    this.watch = watch;
    this.functions = functions;
    this.keys = keys;
    this.indexes = new IndexPart(memory);
    this.numbers = new EntryNumbers(memory);
    this.marks = new PropertyMarks(memory, keys);
    this.weak = new WeakObjects(raw, this);
  }

  /** Returns the weak tables. */
  public WeakObjects weak() {
    return weak;
  }

  /** Returns the rule of keys. */
  public Keys keys() {
    return keys;
  }

  /** Updates the references to moved elements: the resizing object, weak tables, their contents. */
  public void relocate(LongUnaryOperator moved) {
    weak.relocate(moved);
    if (resizing != 0) {
      resizing = moved.applyAsLong(resizing);
    }
  }

  /** Returns the block with the properties of an object, weak or not; 0 if there is none. */
  @Override
  public long table(long object) {
    long table = Values.raw(memory.get(object + Layout.OBJECT_TABLE));
    return (table & Layout.WEAK_MASK) == 0 ? table : weak.block(table);
  }

  private void setTable(long object, long table) {
    watch.changed(object);
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
   * @return the key's entry; negative if the table has no such key
   */
  private long find(long table, long key) {
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    return log == 0 ? findInOrder(table, key) : findByHash(table, log, key, keys.hashToFind(key));
  }

  /**
   * Searches a key that the caller inserts if it is missing.
   *
   * @return the key's entry; if the key is missing, the complement of the empty place of the hash
   *     part where the search ended, or of 0 without a hash part
   */
  private long findForPut(long table, long key) {
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    return log == 0 ? findInOrder(table, key) : findByHash(table, log, key, keys.hash(key));
  }

  /** Searches the integer of {@link Keys#WIDE}, as {@link #findForPut} does. */
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

  /**
   * Returns the place of a property's value that the program may see, or 0; valid until the table
   * is resized. A collection in slices hides what it found dead in a weak table, and not removed.
   */
  public long seenPlace(long object, long key) {
    long place = place(object, key);
    return place != 0 && weak.hides(object, memory.get(place)) ? 0 : place;
  }

  /** Returns the place of a property's value, or 0; valid until the table is resized. */
  @Override
  public long place(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    if (key < 0) {
      return rarePlace(table, key);
    }
    long at = find(table, key);
    return at < 0 ? 0 : at + TableLayout.VALUE;
  }

  /**
   * Returns the place of a property's value if the given entry has the key; 0 else, and for a weak
   * object. Static, as one memory object is cheaper to the JVM's compiler than several that are
   * equal.
   */
  public static long placeAt(Memory memory, long object, int entry, long key) {
    long table = plainTable(memory, object);
    if (table == 0 || entry >= low(memory.get(table + TableLayout.ENTRIES))) {
      return 0;
    }
    long at = entryAt(table, entry);
    return memory.get(at) == key ? at + TableLayout.VALUE : 0;
  }

  /**
   * Returns the place of an index, which may be a hole; 0 if the index is outside the array's
   * capacity, and for a weak object.
   */
  public static long arrayPlace(Memory memory, long object, int index) {
    long table = plainTable(memory, object);
    if (table == 0) {
      return 0;
    }
    long sizes = memory.get(table + TableLayout.ARRAY); // behind ENTRIES, so that is inside, too
    if (Integer.compareUnsigned(index, low(sizes)) >= 0) {
      return 0;
    }
    int entries = TableLayout.high(memory.getUnchecked(table + TableLayout.ENTRIES));
    return entryAt(table, entries) + TableLayout.INDEX_WORDS * 8 + ((long) index << 3);
  }

  /**
   * Returns the block with the properties of an object; 0 if there is none, or for a weak object.
   */
  private static long plainTable(Memory memory, long object) {
    long word = memory.get(object + Layout.OBJECT_TABLE);
    return (word & Layout.WEAK_MASK) == 0 ? Values.raw(word) : 0;
  }

  /** Returns the entry of a value's place; 0 if the place is in the array. */
  public int entryOf(long object, long place) {
    long table = table(object);
    return isInArray(table, place) ? 0 : TableLayout.indexOf(table, place - TableLayout.VALUE);
  }

  /** Returns the place of a value whose key is an integer or a negative double. */
  private long rarePlace(long table, long key) {
    if (IndexPart.isIndex(key)) {
      long at = arrayPlace(table, Values.toInt(key));
      if (at != 0 || indexes.sparse(table) == 0) {
        return at;
      }
    }
    long at = findAny(table, key);
    return at < 0 ? 0 : at + TableLayout.VALUE;
  }

  /** Returns the place of a value in the array, or 0. */
  private long arrayPlace(long table, int index) {
    if (index >= indexes.capacity(table)) {
      return 0;
    }
    long at = valueAt(table, index);
    return memory.get(at) == HOLE ? 0 : at;
  }

  private long findAny(long table, long key) {
    return key == Keys.WIDE
        ? findWide(table, TableLayout.log(memory.get(table + TableLayout.HASH)))
        : find(table, key);
  }

  /**
   * Returns the place of a property's value. A missing property is made, with an undefined value.
   *
   * @return the place; the negative of the place if the property is new; 0 if there is no room
   */
  public long placeForPut(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    if (key < 0 && IndexPart.isIndex(key)) {
      return placeForIndex(object, table, key);
    }
    long at = findForPut(table, key);
    return at < 0 ? -insert(table, key, ~at) : at + TableLayout.VALUE;
  }

  /** Does {@link #placeForPut} for an interned string, which needs no tests of its kind. */
  public long placeForPutOfString(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return 0;
    }
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    long at =
        log == 0 ? findInOrder(table, key) : findByHash(table, log, key, keys.hashOfString(key));
    return at < 0 ? -insert(table, key, ~at) : at + TableLayout.VALUE;
  }

  private long placeForIndex(long object, long table, long key) {
    int index = Values.toInt(key);
    long place = arrayPlace(table, index);
    if (place != 0 || !indexes.exists(table)) {
      return place;
    }
    boolean toArray = indexes.goesToArray(table, index) && !isWeak(object);
    if (toArray && indexes.sparse(table) == 0) {
      return fillHole(table, index);
    }
    long at = findForPut(table, key);
    if (at >= 0) {
      return at + TableLayout.VALUE;
    }
    if (toArray) {
      return fillHole(table, index);
    }
    if (isCountDue(object, table)) {
      return 0;
    }
    place = insert(table, key, ~at);
    if (place != 0) {
      indexes.added(table, index, true);
    }
    return -place;
  }

  private long fillHole(long table, int index) {
    if (index >= indexes.capacity(table)) {
      return 0;
    }
    long at = valueAt(table, index);
    memory.put(at, Values.UNDEFINED);
    indexes.added(table, index, false);
    return -at;
  }

  /**
   * Returns the place of the index behind the last one of an array, which is put now; 0 if the
   * index is not that one, if the array is half empty or has no room, and for a weak object.
   */
  public long placeToAppend(long object, int index) {
    long table = plainTable(memory, object);
    if (table == 0 || !indexes.exists(table) || !indexes.append(table, index)) {
      return 0;
    }
    long at = valueAt(table, index);
    memory.put(at, Values.UNDEFINED);
    return at;
  }

  boolean isWeak(long object) {
    return Layout.isWeak(memory.get(object));
  }

  private boolean isCountDue(long object, long table) {
    return indexes.isDue(table, entryCount(table), 1) && !isWeak(object);
  }

  /**
   * Does {@link #placeForPut} for a key that may be an element of an integer of more than 32 bits.
   * If the table has an equal key, that key stays.
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
    long at = findAny(table, Keys.WIDE);
    return at < 0 ? -insert(table, key, ~at) : at + TableLayout.VALUE;
  }

  private long insert(long table, long key, long hashPlace) {
    long entries = memory.get(table + TableLayout.ENTRIES);
    int e = low(entries);
    if (e == high(entries)) {
      return 0;
    }
    long at = entryAt(table, e);
    // Adding 1 to the word adds 1 to its lower field, as the tag lies above.
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
   * Removes the property with a value's place. The caller has noted the value before.
   *
   * @return the key that the table no longer holds: usually the property's key; if a walk may
   *     continue from that key, the key that was kept until now, or undefined
   */
  public long delete(long object, long place) {
    long table = table(object);
    if (isInArray(table, place)) {
      indexes.remove(table, place);
      return marks.isMarked(table) ? marks.keepNone(table) : Values.UNDEFINED;
    }
    long at = place - TableLayout.VALUE;
    long key = remove(table, at);
    return marks.isMarked(table) ? marks.keep(table, at, key) : key;
  }

  private boolean isInArray(long table, long place) {
    return indexes.capacity(table) > 0 && place >= TableLayout.arrayAt(memory, table);
  }

  /** Returns the key of the property with a value's place. */
  public long keyAt(long object, long place) {
    long table = table(object);
    return isInArray(table, place)
        ? Values.ofInt((int) ((place - TableLayout.arrayAt(memory, table)) >> 3))
        : memory.get(place - TableLayout.VALUE);
  }

  private long remove(long table, long at) {
    long key = memory.get(at);
    if (IndexPart.isIndex(key)) {
      indexes.removedSparse(table);
    }
    makeGap(table, at);
    return key;
  }

  private void makeGap(long table, long at) {
    memory.put(at, Values.ofRaw(1));
    memory.put(at + TableLayout.VALUE, Values.UNDEFINED);
    memory.put(table + TableLayout.HASH, memory.get(table + TableLayout.HASH) - 1);
  }

  /** Removes an entry as {@link #delete} does, but only a walk on this entry keeps its key. */
  @Override
  public long clear(long object, long at) {
    long table = table(object);
    return marks.keepIfStood(table, at, remove(table, at));
  }

  /** Forgets a dead key that was kept for walks. */
  @Override
  public void forgetKept(long object, long key) {
    long table = table(object);
    if (table != 0) {
      marks.forget(table, key);
    }
  }

  /** Returns the number of properties. */
  public int count(long object) {
    long table = table(object);
    return table == 0 ? 0 : entryCount(table) + indexes.present(table);
  }

  private int entryCount(long table) {
    return low(memory.get(table + TableLayout.HASH));
  }

  void flag(long table, long flags) {
    long hash = memory.get(table + TableLayout.HASH);
    if ((hash & flags) != flags) {
      memory.put(table + TableLayout.HASH, hash | flags);
    }
  }

  /**
   * Returns the position of the first property from a cursor on, or -1. The array comes first, then
   * the entries. From now on all properties of this object keep their positions.
   */
  public int next(long object, long cursor) {
    long table = table(object);
    if (table == 0) {
      return -1;
    }
    int position = cursor < ENTRY_POSITIONS ? indexes.next(table, (int) cursor, true) : -1;
    if (position < 0) {
      long number = Math.max(0, cursor - ENTRY_POSITIONS);
      position = entryPosition(live(table, numbers.entry(table, number)));
    }
    if (position >= 0) {
      flag(table, TableLayout.WALKED | TableLayout.FIXED);
    }
    return position;
  }

  /**
   * Returns the bytes of the holes that steps of walks have passed in long runs since the last
   * call.
   */
  public long takePassed() {
    return indexes.takePassed() << 3;
  }

  private static int entryPosition(int entry) {
    return entry < 0 ? -1 : ENTRY_POSITIONS + entry;
  }

  /** Returns the cursor behind a position; the cursor is valid as long as the object. */
  public long cursorBehind(long object, int position) {
    return position < ENTRY_POSITIONS
        ? position + 1L
        : ENTRY_POSITIONS + number(object, position - ENTRY_POSITIONS) + 1;
  }

  /** Returns the number of an entry, which stays the same for the entry's life. */
  public long number(long object, int entry) {
    return numbers.number(table(object), entry);
  }

  /**
   * Returns the position of the property behind a key, or of the first property for a key of 0. The
   * key is the key of a property, the key that this method returned last, the key deleted last
   * since the first call, or an index that was in the array or is a hole of it.
   *
   * @return the position; -1 at the end, -2 if there is no such key
   */
  public int nextAfter(long object, long key) {
    long table = table(object);
    if (table == 0) {
      return key == 0 ? -1 : -2;
    }
    int position = positionAfter(table, key);
    if (position >= 0) {
      flag(table, TableLayout.FIXED);
    }
    return position;
  }

  private int positionAfter(long table, long key) {
    int entry = key == 0 ? -1 : marks.find(table, key);
    if (entry < 0 && (key == 0 || IndexPart.isIndex(key))) {
      int index = key == 0 ? -1 : Values.toInt(key);
      if (key == 0 || arrayPlace(table, index) != 0) {
        return nextIndex(table, index + 1);
      }
    }
    if (entry < 0) {
      long at = findAny(table, key);
      entry = at < 0 ? marks.findDeleted(table, key) : TableLayout.indexOf(table, at) + 1;
    }
    if (entry >= 0) {
      return entryPosition(live(table, entry));
    }
    return IndexPart.isIndex(key) && indexes.wasInArray(table, Values.toInt(key))
        ? nextIndex(table, Values.toInt(key) + 1)
        : -2;
  }

  private int nextIndex(long table, int from) {
    int index = indexes.next(table, from, true);
    return index >= 0 ? index : entryPosition(live(table, 0));
  }

  /**
   * Sets the position of the walk from keys.
   *
   * @return the key that the table no longer holds, or undefined
   */
  public long standOn(long object, int position) {
    return marks.standOn(
        table(object),
        position < ENTRY_POSITIONS ? PropertyMarks.NO_ENTRY : position - ENTRY_POSITIONS);
  }

  /** Returns the number of keys of deleted properties that a table keeps for walks. */
  public int keptKeys(long object) {
    long table = table(object);
    return table == 0 ? 0 : marks.kept(table);
  }

  /** Returns the first entry in use from an entry on, or -1. */
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

  public long key(long object, int position) {
    return position < ENTRY_POSITIONS
        ? Values.ofInt(position)
        : memory.get(entryAt(table(object), position - ENTRY_POSITIONS));
  }

  public long value(long object, int position) {
    return memory.get(
        position < ENTRY_POSITIONS
            ? valueAt(table(object), position)
            : entryAt(table(object), position - ENTRY_POSITIONS) + TableLayout.VALUE);
  }

  // ---- indexes ----

  /** Returns the array length: the length set last, or one more than a larger index put since. */
  public int arrayLength(long object) {
    long table = table(object);
    return table == 0 ? 0 : indexes.length(table);
  }

  /** Returns the capacity of the array: indexes below it have a place in the array. */
  public int arrayCapacity(long object) {
    long table = table(object);
    return table == 0 ? 0 : indexes.capacity(table);
  }

  /** Returns the place of an index below the capacity; the place may be a hole. */
  public long arrayPlace(long object, long index) {
    return valueAt(table(object), (int) index);
  }

  /** Sets the length, if there is room to note it. The caller has deleted the indexes beyond. */
  public boolean setArrayLength(long object, int length) {
    long table = table(object);
    if (table == 0 || !indexes.exists(table)) {
      return length == 0;
    }
    if (length < indexes.length(table)) {
      indexes.cutBound(table, length);
    }
    indexes.setLength(table, length);
    return true;
  }

  /** Returns the value's place of the first entry, after a place, whose index is at least given. */
  public long nextSparse(long object, long afterPlace, int least) {
    long table = table(object);
    if (table == 0 || indexes.sparse(table) == 0) {
      return 0;
    }
    int e = afterPlace == 0 ? 0 : TableLayout.indexOf(table, afterPlace - TableLayout.VALUE) + 1;
    for (e = live(table, e); e >= 0; e = live(table, e + 1)) {
      long key = memory.get(entryAt(table, e));
      if (IndexPart.isIndex(key) && Values.toInt(key) >= least) {
        return entryAt(table, e) + TableLayout.VALUE;
      }
    }
    return 0;
  }

  /** Returns the number of indexes among the entries. */
  public int sparse(long object) {
    long table = table(object);
    return table == 0 ? 0 : indexes.sparse(table);
  }

  /** Returns the number of indexes. */
  int indexCount(long object) {
    long table = table(object);
    return table == 0 ? 0 : indexes.present(table) + indexes.sparse(table);
  }

  /** Whether a count of entries may happen while the given number of indexes is put. */
  boolean mayCount(long object, int more) {
    long table = table(object);
    return more >= IndexPart.FIRST_DUE
        || (table != 0 && indexes.exists(table) && indexes.isDue(table, entryCount(table), more));
  }

  /** Returns one more than the largest index among the entries that is below a bound. */
  int endOfEntries(long object, long below) {
    long table = table(object);
    return table == 0 ? 0 : endOfMoved(table, (int) Math.min(below, Integer.MAX_VALUE));
  }

  /** Returns the number of properties that are entries. */
  public int entries(long object) {
    long table = table(object);
    return table == 0 ? 0 : entryCount(table);
  }

  /** Whether an index belongs into the array after the given number of other puts. */
  public boolean isDense(long object, int index, int more) {
    return indexes.goesToArray(table(object), index, more);
  }

  /** Whether there is room for a number of new entries, and for an array of a length. */
  public boolean hasRoom(long object, int entries, int array) {
    long table = table(object);
    if (entries == 0 && array == 0) {
      return true;
    }
    long has = table == 0 ? 0 : memory.get(table + TableLayout.ENTRIES);
    return table != 0
        && indexes.exists(table)
        && low(has) + (long) entries <= high(has)
        && indexes.capacity(table) >= array;
  }

  /** Makes room for at least a number of new entries and an array of a length. */
  public boolean reserve(long object, int entries, int array) {
    long table = table(object);
    long has = table == 0 ? 0 : memory.get(table + TableLayout.ENTRIES);
    int live = table == 0 ? 0 : entryCount(table);
    long least = high(has);
    long roomy = least;
    if (low(has) + (long) entries > least) {
      int kept = live + (table == 0 ? 0 : marks.kept(table));
      least = (long) kept + entries;
      roomy = Math.min(LARGEST, Math.max(least, kept + (live >> 1) + 4));
    }
    int capacity = arrayCapacity(object);
    int leastArray = Math.max(capacity, array);
    int roomyArray = array > capacity ? roomyArray(array) : capacity;
    refusedBytes = least * TableLayout.ENTRY;
    return least <= LARGEST
        && (resize(object, (int) roomy, roomyArray, true, 0)
            || resize(object, (int) least, leastArray, true, 0));
  }

  private static int roomyArray(int length) {
    return Math.min(IndexPart.MOST, length + (length >> 1) + 2);
  }

  /** Makes room for an array of a length, or, if memory is short, of the least length. */
  private boolean makeArrayRoom(long object, int length, int least) {
    long table = table(object);
    int entries = table == 0 ? 0 : high(memory.get(table + TableLayout.ENTRIES));
    return resize(object, entries, roomyArray(length), true, 0)
        || resize(object, entries, least, true, 0);
  }

  /**
   * Returns the next capacity of a growing table if memory is short. The table grows by at least a
   * sixteenth, so that the last puts before the limit do not copy the whole table each.
   */
  private static int step(int capacity, int wanted, int most) {
    return Math.min(most, Math.max(wanted, capacity + (capacity >> 4)));
  }

  /**
   * Notes many changes of the array.
   *
   * @param more the number of indexes that were added
   * @param from the first index that may be present now
   * @param end the end of the indexes that may be present now
   */
  public void changed(long object, int more, int from, int end) {
    indexes.changed(table(object), more, from, end);
  }

  /** Gives back memory that the array does not need, if the gain is worth a copy. */
  public void shrinkArray(long object) {
    long table = table(object);
    if (table == 0 || object == resizing || !indexes.exists(table)) {
      return;
    }
    int end = indexes.end(table);
    int capacity = indexes.capacity(table);
    int entries = high(memory.get(table + TableLayout.ENTRIES));
    if (capacity - end > end + 4 && capacity - end > entries) {
      boolean _ = resize(object, entries, end, true, 0);
    }
  }

  /**
   * Returns a border: an index from 1 on that is present while the next index is not; 0 if index 1
   * is not present.
   *
   * <p>Of several it is the one that Lua's tables choose, as far as the array shows how large
   * theirs is: as ours, or, if it is spread, the power of two that the present indexes fill more
   * than half. The search begins at the end of that array.
   */
  public int border(long object) {
    long table = table(object);
    if (table == 0 || !indexes.exists(table)) {
      return 0;
    }
    int last = indexes.last(table);
    int present = indexes.presentFromOne(table);
    int sparse = indexes.sparse(table);
    if (last == present && sparse == 0) {
      return last; // the only one
    }
    boolean isSpread = indexes.isSpread(table) && last != present;
    int limit = last;
    if (last == 0 || isSpread || !hasIndex(object, last)) {
      if (!isSpread && last > 1 && hasIndex(object, last - 1)) {
        return last - 1;
      }
      int all = present > 0 ? present : sparse;
      if (all == 0 || isLikelyAll(object, all)) {
        return all;
      }
      limit = isSpread ? IndexPart.roundUp(present) : last;
      if (limit > 0 && !hasIndex(object, limit)) {
        return borderBetween(object, 0, limit);
      }
    }
    boolean isEnd = sparse == 0 && limit == last;
    return isEnd || !hasIndex(object, limit + 1) ? limit : borderBehind(object, limit);
  }

  /** Whether a border is, as far as three looks tell, the only one. */
  private boolean isLikelyAll(long object, int border) {
    return hasIndex(object, border)
        && !hasIndex(object, border + 1)
        && (border == 1 || hasIndex(object, border - 1));
  }

  /** Returns a border behind a present index, or 0, whose next index is present. */
  private int borderBehind(long object, int index) {
    int low = index;
    int high = Math.max(1, index);
    do {
      low = high;
      high = (int) Math.min(2L * high, Integer.MAX_VALUE);
    } while (high < Integer.MAX_VALUE && hasIndex(object, high));
    return borderBetween(object, low, high);
  }

  /** Returns a border between an index that is present, or 0, and one that is not. */
  private int borderBetween(long object, int present, int absent) {
    int low = present;
    int high = absent;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (hasIndex(object, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean hasIndex(long object, int index) {
    return place(object, Values.ofInt(index)) != 0;
  }

  // ---- room ----

  /** Makes room for one more property with a given key. */
  public boolean makeRoom(long object, long key) {
    long table = table(object);
    refusedBytes = 0;
    if (!IndexPart.isIndex(key)) {
      return table == 0
          ? makeRoomForEntry(object, 0, 0, false)
          : makeRoomForEntry(object, table, indexes.capacity(table), indexes.exists(table));
    }
    int index = Values.toInt(key);
    if (isWeak(object) || !indexes.goesToArray(table, index)) {
      boolean exists = table != 0 && indexes.exists(table);
      if (exists && isCountDue(object, table)) {
        return countIndexes(object, table, index);
      }
      return makeRoomForEntry(object, table, exists ? indexes.capacity(table) : 0, true);
    }
    return (table != 0 && index < indexes.capacity(table))
        || makeArrayRoom(object, index + 1, step(arrayCapacity(object), index + 1, IndexPart.MOST));
  }

  private boolean makeRoomForEntry(long object, long table, int array, boolean indexed) {
    int live = table == 0 ? 0 : entryCount(table);
    int kept = live + (table == 0 ? 0 : marks.kept(table));
    long entries = table == 0 ? 0 : memory.get(table + TableLayout.ENTRIES);
    if (low(entries) < high(entries)) { // only the index part is missing
      return resize(object, high(entries), array, indexed, 0);
    }
    int roomy = Math.min(LARGEST, kept + (live >> 1) + 4);
    return kept < LARGEST
        && (resize(object, roomy, array, indexed, 0)
            || resize(object, step(kept, kept + 1, LARGEST), array, indexed, 0));
  }

  /**
   * Counts the indexes among the entries, and moves them to the array if they are dense. The result
   * of the count is noted only if there is room for the index that is put.
   */
  private boolean countIndexes(long object, long table, int index) {
    indexes.beginCount();
    indexes.countKey(Values.ofInt(index));
    for (int e = live(table, 0); e >= 0; e = live(table, e + 1)) {
      indexes.countKey(memory.get(entryAt(table, e)));
    }
    int log = indexes.countedBound(table);
    int bound = log == 0 ? 0 : 1 << log;
    boolean isFixed = (memory.get(table + TableLayout.HASH) & TableLayout.FIXED) != 0;
    int moved = isFixed ? 0 : bound;
    int end = Math.max(index < bound ? index + 1 : 0, endOfMoved(table, moved));
    int capacity = Math.max(end, indexes.capacity(table));
    long entries = memory.get(table + TableLayout.ENTRIES);
    boolean isFull = index >= bound && low(entries) == high(entries);
    int live = entryCount(table);
    int kept = live + marks.kept(table);
    int most = isFull ? Math.min(LARGEST, kept + (live >> 1) + 4) : high(entries);
    if (!isFull && end <= indexes.capacity(table)) {
      moveToArray(table, moved);
    } else if ((isFull && kept >= LARGEST) || !resize(object, most, capacity, true, moved)) {
      return false;
    }
    indexes.endCount(table(object), log);
    return true;
  }

  /** Moves the indexes below a bound from the entries to the array, which has room. */
  private void moveToArray(long table, int moved) {
    for (int e = moved == 0 ? -1 : live(table, 0); e >= 0; e = live(table, e + 1)) {
      long at = entryAt(table, e);
      long key = memory.get(at);
      if (IndexPart.isIndex(key) && Values.toInt(key) < moved) {
        indexes.move(table, Values.toInt(key), memory.get(at + TableLayout.VALUE));
        makeGap(table, at);
      }
    }
  }

  /** Returns the end of the indexes among the entries that belong into the array. */
  private int endOfMoved(long table, int moved) {
    int end = 0;
    for (int e = moved == 0 ? -1 : live(table, 0); e >= 0; e = live(table, e + 1)) {
      long key = memory.get(entryAt(table, e));
      if (IndexPart.isIndex(key) && Values.toInt(key) < moved) {
        end = Math.max(end, Values.toInt(key) + 1);
      }
    }
    return end;
  }

  /**
   * Makes the block of a table with given capacities, for an object that the caller makes later.
   *
   * @return the block; 0 if there is no memory
   */
  public long prepare(int entries, int elements) {
    long fresh = build(0, 0, entries, elements, elements > 0, 0);
    if (fresh != 0 && elements > 0) {
      indexes.expect(fresh, elements);
    }
    return fresh;
  }

  /** Gives a new object its table. */
  public void adopt(long object, long table) {
    setTable(object, table);
  }

  /**
   * Turns the array's values into entries, for a weak table.
   *
   * @return whether there was room; if not, nothing is changed
   */
  public boolean makeArrayEntries(long object) {
    long table = table(object);
    if (table == 0 || indexes.present(table) == 0) {
      return true;
    }
    int capacity = indexes.capacity(table);
    long entries = (long) entryCount(table) + marks.kept(table) + indexes.present(table);
    refusedBytes = entries * TableLayout.ENTRY;
    if (entries > LARGEST || !resize(object, (int) entries, capacity, true, 0)) {
      return false;
    }
    table = table(object);
    for (int i = indexes.next(table, 0, false); i >= 0; i = indexes.next(table, i + 1, false)) {
      long key = Values.ofInt(i);
      long value = memory.get(valueAt(table, i));
      indexes.remove(table, valueAt(table, i));
      memory.put(insert(table, key, ~findForPut(table, key)), value);
      indexes.added(table, i, true);
    }
    boolean _ = resize(object, (int) entries, 0, true, 0); // without memory an empty array stays
    return true;
  }

  /** Returns the bytes of the last table that got no memory. */
  public long refusedBytes() {
    return refusedBytes;
  }

  /** Shrinks a table to its contents, or frees an empty table. */
  public void compact(long object) {
    long table = table(object);
    if (table == 0 || object == resizing) {
      return;
    }
    long hash = memory.get(table + TableLayout.HASH);
    int kept = low(hash) + marks.kept(table);
    int end = indexes.end(table);
    boolean isFixed = (hash & TableLayout.FIXED) != 0;
    boolean indexed = indexes.exists(table) && (isFixed || !indexes.isAsNew(table));
    if (kept == 0 && !indexed && !isFixed) {
      setTable(object, 0);
      functions.free(table);
      return;
    }
    int entries = high(memory.get(table + TableLayout.ENTRIES));
    int words = high(memory.get(table + TableLayout.ARRAY));
    if (bytes(kept, IndexPart.words(indexed, end), numbers.runsWithoutGaps(table))
        < bytes(entries, words, numbers.runs(table))) {
      boolean _ = resize(object, kept, end, indexed, 0);
    }
  }

  private static long bytes(int entries, int indexWords, int runs) {
    return TableLayout.FIRST
        + ((2L * entries + indexWords) << 3)
        + TableLayout.hashBytes(hashLog(entries))
        + EntryNumbers.bytes(runs);
  }

  /** Returns the size of a hash part, as a power of two: at least two places for each entry. */
  static int hashLog(int entries) {
    return entries <= HASHED_FROM ? 0 : 32 - Integer.numberOfLeadingZeros(entries * 2 - 1);
  }

  /** Returns the bytes of the block with the properties of an object. */
  public long bytes(long object) {
    long table = table(object);
    return table == 0
        ? 0
        : bytes(
            high(memory.get(table + TableLayout.ENTRIES)),
            high(memory.get(table + TableLayout.ARRAY)),
            numbers.runs(table));
  }

  /**
   * Builds the table anew with these capacities, without gaps.
   *
   * @param moved the bound of the indexes that move from the entries to the array
   */
  private boolean resize(long object, int entries, int array, boolean indexed, int moved) {
    long table = table(object);
    int runs = table == 0 ? 0 : numbers.runsWithoutGaps(table);
    long fresh = build(table, runs, entries, array, indexed, moved);
    if (fresh == 0) {
      return false;
    }
    enterAll(fresh); // here: build already has as much code as the compiler inlines
    setTable(object, fresh);
    functions.free(table);
    return true;
  }

  private long build(long table, int runs, int entries, int array, boolean indexed, int moved) {
    int indexWords = IndexPart.words(indexed, array);
    long bytes = bytes(entries, indexWords, runs);
    long fresh = functions.alloc(bytes);
    if (fresh == 0) {
      refusedBytes = bytes;
      return 0;
    }
    int log = hashLog(entries);
    memory.put(fresh + TableLayout.ENTRIES, pack(entries, 0));
    memory.put(fresh + TableLayout.ARRAY, pack(indexWords, array));
    if (indexed) {
      indexes.copy(table, fresh);
    }
    long hash = (long) log << TableLayout.LOG_SHIFT;
    int kept = 0;
    if (table != 0) {
      long old = memory.get(table + TableLayout.HASH);
      hash |= old & (TableLayout.WALKED | TableLayout.FIXED);
      hash |= runs == 0 ? 0 : TableLayout.NUMBERED;
      kept = copyEntries(table, fresh, moved);
      hash |= moved == 0 ? low(old) : kept; // where indexes move no deleted key is kept
    }
    memory.put(fresh + TableLayout.ENTRIES, pack(entries, kept));
    memory.put(fresh + TableLayout.HASH, hash);
    long unused = entryAt(fresh, kept);
    memory.zero(unused, TableLayout.indexPartAt(memory, fresh) - unused);
    long behind = TableLayout.hashAt(memory, fresh);
    memory.zero(behind, fresh + bytes - behind);
    if (runs > 0 && table != 0) {
      numbers.write(table, fresh);
    }
    if (table != 0) { // even without entries: a walk may stand on an array index
      marks.carry(table, fresh);
    }
    return fresh;
  }

  /** Copies the entries that are neither gaps nor moved to the array; returns their number. */
  private int copyEntries(long table, long fresh, int moved) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    long to = fresh + TableLayout.FIRST;
    if (moved == 0 && used == low(memory.get(table + TableLayout.HASH))) { // no gaps
      memory.copy(table + TableLayout.FIRST, to, (long) used * TableLayout.ENTRY);
      return used;
    }
    for (int e = 0; e < used; e++) {
      long from = entryAt(table, e);
      long key = memory.get(from);
      long value = memory.get(from + TableLayout.VALUE);
      if (moved > 0 && IndexPart.isIndex(key) && Values.toInt(key) < moved) {
        indexes.move(fresh, Values.toInt(key), value);
      } else if (numbers.isKept(from)) {
        memory.put(to, key);
        memory.put(to + TableLayout.VALUE, value);
        to += TableLayout.ENTRY;
      }
    }
    return TableLayout.indexOf(fresh, to);
  }

  private void enterAll(long table) {
    int log = TableLayout.log(memory.get(table + TableLayout.HASH));
    int entries = log == 0 ? 0 : low(memory.get(table + TableLayout.ENTRIES));
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

  // ---- images ----

  IndexPart indexes() {
    return indexes;
  }

  EntryNumbers entryNumbers() {
    return numbers;
  }

  PropertyMarks marks() {
    return marks;
  }

  /** Makes the block of a table of an image; returns 0 if there is no memory. */
  long prepare(int entries, int elements, boolean indexed, int runs) {
    return build(0, runs, entries, elements, indexed, 0);
  }

  /** Adds an entry, for which there is room; returns false if the table has the key. */
  boolean addEntry(long table, long key, long value) {
    boolean wide = Values.isReference(key) && keys.isInteger(key);
    long at = wide ? findAny(table, keys.toFind(key)) : findForPut(table, key);
    if (at >= 0) {
      return false;
    }
    memory.put(insert(table, key, ~at), value);
    return true;
  }

  /** Whether a table has an entry with a key. */
  boolean hasEntry(long table, long key) {
    return find(table, key) >= 0;
  }

  /** Adds a deleted entry, for which there is room. */
  void addGap(long table, long kept) {
    long entries = memory.get(table + TableLayout.ENTRIES);
    long at = entryAt(table, low(entries));
    memory.put(table + TableLayout.ENTRIES, entries + 1);
    memory.put(at, TableImage.gap());
    memory.put(at + TableLayout.VALUE, kept);
  }
}
