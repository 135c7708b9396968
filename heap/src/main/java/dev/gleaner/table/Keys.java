package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/**
 * The keys of properties: any tagged value but undefined, null and NaN, in its normal form.
 *
 * <pre>
 *   integer, boolean     as it is
 *   double               the integer of the same value, if there is one: 3.0 is 3, -0.0 is 0
 *   string               the interned element
 *   any other element    the element, by identity
 * </pre>
 *
 * <p>Two keys are the same if their normal forms are the same word, or equal integers of more than
 * 32 bits. A table holds such an integer as an element, {@link Layout#LONG}. A search needs no
 * element: this class notes the integer, and {@link #WIDE} stands for the integer that was noted
 * last.
 *
 * <p>A string has its hash in its header. Any other element has the hash of its place or, if
 * elements move, of its identity, which stays for life. Other values are hashed twice with the
 * heap's random multiplier, so that no choice of keys makes long searches likely.
 */
public final class Keys {
  private final Memory memory;
  private final IdentityTable identities;
  private final long multiplier;
  private boolean moving;
  private long wide;

  /** Stands for the integer of more than 32 bits that was noted last. */
  public static final long WIDE = TableLayout.pack(TableLayout.FIELD_MASK, 0);

  private static final double ABOVE_LONG = 0x1p63;

  /**
   * Makes the keys of a heap whose elements stay where they are.
   *
   * @param multiplier odd, and not known outside
   */
  public Keys(Memory memory, IdentityTable identities, long multiplier) {
    this.memory = memory;
    this.identities = identities;
    this.multiplier = multiplier;
  }

  /** Sets that elements move: then a place is no identity. */
  public void setMoving() {
    moving = true;
  }

  /**
   * Returns the normal form of a value as a key; undefined if the value cannot be a key. A double
   * that equals an integer of more than 32 bits stays a double, as no tagged value has that
   * integer: see {@link #isWide}.
   */
  public static long normal(long value) {
    if (Values.isDouble(value)) {
      double d = Values.toDouble(value);
      int i = (int) d;
      return i == d ? Values.ofInt(i) : Double.isNaN(d) ? Values.UNDEFINED : value;
    }
    return value == Values.NULL ? Values.UNDEFINED : value;
  }

  /** Whether a double is the same key as an integer of more than 32 bits. */
  public static boolean isWide(long value) {
    if (!Values.isDouble(value)) {
      return false;
    }
    double d = Values.toDouble(value);
    return d == Math.rint(d) && d >= -ABOVE_LONG && d < ABOVE_LONG && d != (int) d;
  }

  /** Whether a word is a key in its normal form. */
  public static boolean isKey(long value) {
    return value != Values.UNDEFINED
        && value >>> Values.TAG_SHIFT != 0xFFFF
        && normal(value) == value
        && !isWide(value);
  }

  /** Whether the element of a reference is an integer. */
  public boolean isInteger(long reference) {
    return Layout.kind(memory.get(reference)) == Layout.LONG;
  }

  /** Returns the word to search: the normal form or {@link #WIDE}; undefined if it is no key. */
  public long toFind(long value) {
    if (Values.isReference(value)) {
      return isInteger(value) ? note(memory.get(value + Layout.LONG_VALUE)) : value;
    }
    return isWide(value) ? note((long) Values.toDouble(value)) : normal(value);
  }

  private long note(long integer) {
    wide = integer;
    return WIDE;
  }

  /** Returns the integer that {@link #WIDE} stands for. */
  public long wide() {
    return wide;
  }

  /** Whether the key that a table holds is a searched key, as {@link #toFind} returns it. */
  boolean same(long held, long key) {
    return held == key
        || (key == WIDE
            && Values.isReference(held)
            && isInteger(held)
            && memory.get(held + Layout.LONG_VALUE) == wide);
  }

  /** Returns the hash of a string. */
  int hashOfString(long string) {
    return (int) (memory.get(string + Layout.STRING_WORD) >>> 32);
  }

  /**
   * Returns the hash of a key for a table; the hash stays the same while the table holds the key.
   */
  int hash(long key) {
    if (!Values.isReference(key)) {
      return hashOfWord(key);
    }
    if (Layout.kind(memory.get(key)) == Layout.STRING) {
      return hashOfString(key);
    }
    if (isInteger(key)) {
      return hashOfWord(memory.get(key + Layout.LONG_VALUE));
    }
    return moving ? identities.hash(key) : hashOfWord(key);
  }

  /** Returns the hash of a key for a search; any number if no table can have the key. */
  int hashToFind(long key) {
    if (!Values.isReference(key)) {
      return hashOfWord(key == WIDE ? wide : key);
    }
    if (Layout.kind(memory.get(key)) == Layout.STRING) {
      return hashOfString(key);
    }
    return moving && !isInteger(key) ? identities.hashIfKnown(key) : hash(key);
  }

  private int hashOfWord(long word) {
    long h = (word ^ word >>> 32) * multiplier; // doubles may differ only in their upper bits
    h = (h ^ h >>> 32) * multiplier;
    return (int) (h >>> 32);
  }
}
