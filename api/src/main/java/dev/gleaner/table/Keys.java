package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/**
 * The keys of properties: any tagged value but undefined, null and NaN, in its normal form.
 *
 * <pre>
 *   integer, boolean     as it is
 *   double               the integer of the same value, if one of 32 bits has it: 3.0 is 3, -0.0 is 0
 *   string               the interned element
 *   any other element    itself: it is a key by identity
 * </pre>
 *
 * <p>Two keys are the same if their normal forms are one word. A kind of elements that is a key by
 * its value, not by its identity, has its place in {@link #same} and {@link #hash}.
 *
 * <p>A string has its hash in its header. Another element has that of its place or, where elements
 * move, of its identity, which stays for life. All else is hashed with the heap's random
 * multiplier, twice, as {@link IdentityTable} does with places: no choice of keys makes long
 * searches likely.
 */
public final class Keys {
  private final Memory memory;
  private final IdentityTable identities;
  private final long multiplier;
  private boolean moving;

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

  /** Says that elements move, so that places say nothing about identities. */
  public void setMoving() {
    moving = true;
  }

  /** The normal form of a value as a key; undefined if it cannot be one. */
  public static long normal(long value) {
    if (Values.isDouble(value)) {
      double d = Values.toDouble(value);
      int i = (int) d;
      return i == d ? Values.ofInt(i) : Double.isNaN(d) ? Values.UNDEFINED : value;
    }
    return value == Values.NULL ? Values.UNDEFINED : value;
  }

  /** Whether a word is a key in its normal form. */
  public static boolean isKey(long value) {
    return value != Values.UNDEFINED
        && value >>> Values.TAG_SHIFT != 0xFFFF
        && normal(value) == value;
  }

  /** Whether two keys in their normal form are the same. */
  static boolean same(long a, long b) {
    return a == b;
  }

  /** The hash of a key that a table is to hold: the same as long as it does. */
  int hash(long key) {
    if (!Values.isReference(key)) {
      return hashOfWord(key);
    }
    if (Layout.kind(memory.get(key)) == Layout.STRING) {
      return (int) (memory.get(key + Layout.STRING_WORD) >>> 32);
    }
    return moving ? identities.hash(key) : hashOfWord(key);
  }

  /** The hash of a key that a table may hold; any number, if it has none so far. */
  int hashToFind(long key) {
    if (!Values.isReference(key)) {
      return hashOfWord(key);
    }
    if (Layout.kind(memory.get(key)) == Layout.STRING) {
      return (int) (memory.get(key + Layout.STRING_WORD) >>> 32);
    }
    return moving ? identities.hashIfKnown(key) : hashOfWord(key);
  }

  private int hashOfWord(long word) {
    long h = (word ^ word >>> 32) * multiplier; // doubles may differ in their upper bits alone
    h = (h ^ h >>> 32) * multiplier;
    return (int) (h >>> 32);
  }
}
