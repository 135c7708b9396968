package dev.gleaner.layout;

import dev.gleaner.memory.Memory;
import org.apiguardian.api.API;

/**
 * A property table: one auxiliary block of an object (Duktape's entry, array and hash parts).
 *
 * <pre>
 *   ENTRIES   raw: entry capacity, entries used
 *   HASH      63  57 56     55     54     53     52  48 47   24 23          0
 *             |     | FIXED | NUMB | WALK | LAST | LOG | MARK | live entries |
 *   ARRAY     raw: words of the index part, 0 if there is none; array capacity
 *   entries: key, value, key, value ... | index part | hash: two 32-bit entry numbers + 1 a word, 0 empty | numbers
 *   index part: three words of figures, array ({@code dev.gleaner.table.IndexPart})
 * </pre>
 *
 * <ul>
 *   <li>A deleted entry has a raw key: in its lower field how many entries from it on are deleted
 *       for sure. Its value is undefined, or the key that it had, as long as that is kept.
 *   <li>LOG is the logarithm of the hash part's capacity, 0: there is none.
 *   <li>MARK and LAST say where a walk from keys stands ({@code dev.gleaner.table.PropertyMarks}).
 *   <li>FIXED: somebody walked, so keys stay among the entries, or in the array.
 *   <li>WALK: entries have numbers that outlast a rebuild; NUMB: there is a part of numbers at the
 *       end ({@code dev.gleaner.table.EntryNumbers}).
 * </ul>
 *
 * Entries and index part are tagged values and raw words, unused entries undefined, so a scan takes
 * them as one range; an index of the array that has no value is {@link #HOLE}.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TableLayout {
  /** Offset of the word that has the capacity of the entry part and how many of it are used. */
  public static final int ENTRIES = 0;

  /** Offset of the word that has the capacity of the hash part and the number of live entries. */
  public static final int HASH = 8;

  /** Offset of the word that has the words of the index part, and the capacity of its array. */
  public static final int ARRAY = 16;

  /** Offset of the first entry. */
  public static final int FIRST = 24;

  /** Bytes of an entry. */
  public static final int ENTRY = 16;

  /** From an entry to its value. */
  public static final int VALUE = 8;

  /** Bits of each of the two numbers in a word of sizes. */
  public static final int FIELD_BITS = 24;

  /** Mask of such a number, and the largest one. */
  public static final int FIELD_MASK = (1 << FIELD_BITS) - 1;

  /** Where LOG is in the word {@link #HASH}. */
  public static final int LOG_SHIFT = 48;

  /** LOG's bits, once it is shifted down. */
  public static final int LOG_MASK = 31;

  /** The bit LAST of the word {@link #HASH}. */
  public static final long LAST = 1L << 53;

  /** The bit WALK of the word {@link #HASH}. */
  public static final long WALKED = 1L << 54;

  /** The bit NUMB of the word {@link #HASH}. */
  public static final long NUMBERED = 1L << 55;

  /** The bit FIXED of the word {@link #HASH}. */
  public static final long FIXED = 1L << 56;

  /** Words of the index part before its array. */
  public static final int INDEX_WORDS = 3;

  /** An array index that has no value. */
  public static final long HOLE = Values.ABSENT;

  private TableLayout() {}

  /**
   * {@return the end of the words that a scan must look at: of those that were used}
   *
   * @param memory the heap's memory
   * @param table the offset of the table
   */
  public static long scanEnd(Memory memory, long table) {
    long words = high(memory.get(table + ARRAY));
    return words == 0
        ? entryAt(table, low(memory.get(table + ENTRIES)))
        : indexPartAt(memory, table) + (words << 3);
  }

  /**
   * {@return the offset of the index part}
   *
   * @param memory the heap's memory
   * @param table the offset of the table
   */
  public static long indexPartAt(Memory memory, long table) {
    return entryAt(table, high(memory.get(table + ENTRIES)));
  }

  /**
   * {@return the offset of the array, if there is an index part}
   *
   * @param memory the heap's memory
   * @param table the offset of the table
   */
  public static long arrayAt(Memory memory, long table) {
    return indexPartAt(memory, table) + INDEX_WORDS * 8;
  }

  /**
   * {@return the offset of the hash part}
   *
   * @param memory the heap's memory
   * @param table the offset of the table
   */
  public static long hashAt(Memory memory, long table) {
    return indexPartAt(memory, table) + ((long) high(memory.get(table + ARRAY)) << 3);
  }

  /**
   * {@return the offset of the numbers of entries}
   *
   * @param memory the heap's memory
   * @param table the offset of the table
   */
  public static long numbersAt(Memory memory, long table) {
    return hashAt(memory, table) + hashBytes(log(memory.get(table + HASH)));
  }

  /**
   * {@return the logarithm of a hash part's capacity, 0 if there is none}
   *
   * @param hash the word {@link #HASH}
   */
  public static int log(long hash) {
    return (int) (hash >>> LOG_SHIFT) & LOG_MASK;
  }

  /**
   * {@return the bytes of a hash part}
   *
   * @param log the logarithm of its capacity, 0 if there is none
   */
  public static long hashBytes(int log) {
    return log == 0 ? 0 : 4L << log;
  }

  /**
   * {@return the offset of an entry}
   *
   * @param table the offset of the table
   * @param entry its number, from 0
   */
  public static long entryAt(long table, int entry) {
    return table + FIRST + (long) entry * ENTRY;
  }

  /**
   * {@return the number of the entry at an offset}
   *
   * @param table the offset of the table
   * @param entryAt the offset of the entry
   */
  public static int indexOf(long table, long entryAt) {
    return (int) ((entryAt - table - FIRST) / ENTRY);
  }

  /**
   * {@return whether this is the key of a deleted entry}
   *
   * @param key the first word of an entry
   */
  public static boolean isDeleted(long key) {
    return key >>> Values.TAG_SHIFT == 0xFFFF;
  }

  /**
   * {@return the upper of the two numbers in a word of sizes}
   *
   * @param word as {@link #pack} makes it
   */
  public static int high(long word) {
    return (int) (word >>> FIELD_BITS) & FIELD_MASK;
  }

  /**
   * {@return the lower of the two numbers in a word of sizes}
   *
   * @param word as {@link #pack} makes it
   */
  public static int low(long word) {
    return (int) word & FIELD_MASK;
  }

  /**
   * {@return a word of two numbers}
   *
   * @param high from 0 to {@link #FIELD_MASK}
   * @param low from 0 to {@link #FIELD_MASK}
   */
  public static long pack(int high, int low) {
    return Values.ofRaw((long) high << FIELD_BITS | low);
  }
}
