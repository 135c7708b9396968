package dev.gleaner.policy;

import static dev.gleaner.spi.TableLayout.HOLE;
import static dev.gleaner.spi.TableLayout.entryAt;
import static dev.gleaner.spi.TableLayout.high;
import static dev.gleaner.spi.TableLayout.low;
import static dev.gleaner.spi.TableLayout.pack;

import dev.gleaner.heap.AllocationFunctions;
import dev.gleaner.spi.Layout;
import dev.gleaner.spi.Memory;
import dev.gleaner.spi.TableLayout;
import dev.gleaner.spi.Values;
import java.util.function.LongUnaryOperator;

/**
 * Property tables of objects, laid out as {@link TableLayout} says.
 *
 * <p>Keys are interned strings, compared by identity. Up to 8 entries are searched in order, more
 * through the hash part. Entries keep the order of insertion; deleting leaves a gap, in the hash
 * part too, until the next resize. No method collects: a put that needs room answers 0, and the
 * caller makes room with {@link #makeRoom} inside its own retries. While an object is being resized
 * a compaction passes over it, and over it alone (Duktape, "Future work").
 */
public final class PropertyTables {
  private static final int HASHED_FROM = 8;
  private static final int LARGEST = TableLayout.FIELD_MASK;

  private final Memory memory;
  private final AllocationFunctions functions;
  private long resizing;
  private long refusedBytes;

  public PropertyTables(Memory memory, AllocationFunctions functions) {
    this.memory = memory;
    this.functions = functions;
  }

  /** The object that a compaction must pass over, 0 for none. */
  public long resizing() {
    return resizing;
  }

  public void setResizing(long object) {
    resizing = object;
  }

  /** Takes over the place to which that object moved. */
  public void relocate(LongUnaryOperator moved) {
    if (resizing != 0) {
      resizing = moved.applyAsLong(resizing);
    }
  }

  private long table(long object) {
    return Values.raw(memory.get(object + Layout.OBJECT_TABLE));
  }

  private long valueAt(long table, int index) {
    return TableLayout.arrayAt(memory, table) + ((long) index << 3);
  }

  private int hashOf(long key) {
    return (int) (memory.get(key + Layout.STRING_WORD) >>> 32);
  }

  /**
   * Searches a key.
   *
   * @return its entry, or the complement of the empty place of the hash part where the search
   *     ended, of 0 if there is no hash part
   */
  private long find(long table, long key) {
    int hashCapacity = high(memory.get(table + TableLayout.HASH));
    return hashCapacity == 0 ? findInOrder(table, key) : findByHash(table, hashCapacity, key);
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

  private long findByHash(long table, int hashCapacity, long key) {
    long hash = TableLayout.hashAt(memory, table);
    int mask = hashCapacity - 1;
    for (int i = hashOf(key) & mask; ; i = (i + 1) & mask) {
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
    long at = find(table, key);
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

  /** Removes a property of which this is the value's place; what it held must have been noted. */
  public void delete(long object, long place) {
    long table = table(object);
    memory.put(place - TableLayout.VALUE, Values.UNDEFINED);
    memory.put(place, Values.UNDEFINED);
    memory.put(table + TableLayout.HASH, memory.get(table + TableLayout.HASH) - 1);
  }

  /** Properties with string keys. */
  public int count(long object) {
    long table = table(object);
    return table == 0 ? 0 : low(memory.get(table + TableLayout.HASH));
  }

  /** The first entry from {@code cursor} on that is in use, or -1. */
  public int next(long object, int cursor) {
    long table = table(object);
    int used = table == 0 ? 0 : low(memory.get(table + TableLayout.ENTRIES));
    for (int e = cursor; e < used; e++) {
      if (memory.get(entryAt(table, e)) != Values.UNDEFINED) {
        return e;
      }
    }
    return -1;
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
    int array = table == 0 ? 0 : high(memory.get(table + TableLayout.ARRAY));
    int entries = table == 0 ? 0 : high(memory.get(table + TableLayout.ENTRIES));
    refusedBytes = (long) arrayLength << 3;
    if (arrayLength > array) {
      int roomy = Math.min(LARGEST, arrayLength + (arrayLength >> 1) + 2);
      return arrayLength <= LARGEST
          && (resize(object, entries, roomy) || resize(object, entries, arrayLength));
    }
    int roomy = Math.min(LARGEST, live + (live >> 1) + 4);
    return live < LARGEST && (resize(object, roomy, array) || resize(object, live + 1, array));
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
    int live = count(object);
    int length = arrayLength(object);
    if (live == 0 && length == 0) {
      memory.put(object + Layout.OBJECT_TABLE, Values.ofRaw(0));
      functions.free(table);
    } else if (live < high(memory.get(table + TableLayout.ENTRIES))
        || length < high(memory.get(table + TableLayout.ARRAY))) {
      boolean _ = resize(object, live, length);
    }
  }

  /** Builds the table anew with these capacities, without gaps. */
  private boolean resize(long object, int entries, int array) {
    int hash = entries <= HASHED_FROM ? 0 : Integer.highestOneBit(entries * 2 - 1) << 1;
    long scanned = TableLayout.FIRST + ((2L * entries + array) << 3);
    long bytes = scanned + (((hash << 2) + 7) & -8);
    long fresh = functions.alloc(bytes);
    if (fresh == 0) {
      refusedBytes = bytes;
      return false;
    }
    long table = table(object);
    int live = count(object);
    int length = arrayLength(object);
    memory.put(fresh + TableLayout.ENTRIES, pack(entries, live));
    memory.put(fresh + TableLayout.HASH, pack(hash, live));
    memory.put(fresh + TableLayout.ARRAY, pack(array, length));
    if (live > 0) {
      copyEntries(table, fresh);
    }
    long unused = entryAt(fresh, live);
    memory.zero(unused, fresh + bytes - unused);
    if (hash != 0) {
      enterAll(fresh, hash, live);
    }
    if (length > 0) {
      memory.copy(valueAt(table, 0), valueAt(fresh, 0), (long) length << 3);
    }
    memory.put(object + Layout.OBJECT_TABLE, Values.ofRaw(fresh));
    functions.free(table);
    return true;
  }

  private void copyEntries(long table, long fresh) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    long to = fresh + TableLayout.FIRST;
    if (used == low(memory.get(table + TableLayout.HASH))) { // no gaps
      memory.copy(table + TableLayout.FIRST, to, (long) used * TableLayout.ENTRY);
      return;
    }
    for (int e = 0; e < used; e++) {
      long from = entryAt(table, e);
      long key = memory.get(from);
      if (key != Values.UNDEFINED) {
        memory.put(to, key);
        memory.put(to + TableLayout.VALUE, memory.get(from + TableLayout.VALUE));
        to += TableLayout.ENTRY;
      }
    }
  }

  private void enterAll(long table, int hashCapacity, int entries) {
    long hash = TableLayout.hashAt(memory, table);
    int mask = hashCapacity - 1;
    for (int e = 0; e < entries; e++) {
      int i = hashOf(memory.get(entryAt(table, e))) & mask;
      while (memory.getInt(hash + ((long) i << 2)) != 0) {
        i = (i + 1) & mask;
      }
      memory.putInt(hash + ((long) i << 2), e + 1);
    }
  }
}
