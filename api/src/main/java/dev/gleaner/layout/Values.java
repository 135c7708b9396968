package dev.gleaner.layout;

/**
 * Tagged 64-bit values, the contents of every slot: what {@code Mutator.get} answers and {@code
 * Mutator.set} takes.
 *
 * <pre>
 *   0                                undefined, so zeroed memory is a row of undefined slots
 *   1, 2, 3                          null, false, true
 *   0000 : offset, 8-byte aligned    a reference: an element's offset in its Memory, below 2^48
 *   0002 .. FFF2 : …                 a double, its bits plus 2^49 (NaN is canonical)
 *   FFFE : 0000 : 32 bits            an integer that fits 32 bits; a larger one is an element
 *   FFFF : 48 bits                   raw: a word of the heap's own that no scan mistakes for a reference
 * </pre>
 *
 * <p>Invariant: {@code (v & NOT_REFERENCE) == 0} exactly for references and undefined, so that a
 * scan tests a value with one mask; undefined reads as offset 0, which no element has.
 *
 * <p>A program switches on a value with the tests below, and computes with numbers in Java:
 *
 * <pre>
 *   long x = t.get(a);
 *   long y = t.get(b);
 *   if (Values.isDouble(x) &amp;&amp; Values.isDouble(y)) {
 *     t.set(d, Values.ofDouble(Values.toDouble(x) + Values.toDouble(y)));
 *   }
 * </pre>
 *
 * <p>Of a reference it learns that it is one: the element moves, or goes, at the next operation.
 * The element may be an integer of more than 32 bits: {@code Mutator.isInteger} tells, and {@code
 * Mutator.getLong} reads it. One that fits 32 bits is never an element.
 */
public final class Values {
  /** What a slot holds before anything is stored; 0, so that zeroed memory is in order. */
  public static final long UNDEFINED = 0;

  /** The value null. */
  public static final long NULL = 1;

  /** The value false. */
  public static final long FALSE = 2;

  /** The value true. */
  public static final long TRUE = 3;

  /** Bits that are all clear in a reference (and in undefined). */
  public static final long NOT_REFERENCE = 0xFFFF_0000_0000_0007L;

  /** Where the tag begins: the upper 16 bits. */
  public static final int TAG_SHIFT = 48;

  /** The tag of integers, which are the lower 32 bits. */
  public static final long INT_TAG = 0xFFFEL << TAG_SHIFT;

  /** The tag of raw words: 48 bits that mean something to the heap alone. */
  public static final long RAW_TAG = 0xFFFFL << TAG_SHIFT;

  /** Mask of what a raw word holds. */
  public static final long RAW_MASK = (1L << TAG_SHIFT) - 1;

  /** What is answered where there is no value: a raw word, which no slot of a program holds. */
  public static final long ABSENT = RAW_TAG;

  private static final Kind[] KINDS = Kind.values();

  private static final long DOUBLE_OFFSET = 1L << 49;

  private Values() {}

  /**
   * {@return whether a value is a reference: the offset of an element}
   *
   * @param v a tagged value
   */
  public static boolean isReference(long v) {
    return (v & NOT_REFERENCE) == 0 && v != 0;
  }

  /**
   * {@return whether a value is an integer that fits 32 bits}
   *
   * @param v a tagged value
   */
  public static boolean isInt(long v) {
    return v >>> TAG_SHIFT == 0xFFFE;
  }

  /**
   * {@return the integer of a value}
   *
   * @param v a value of which {@link #isInt} holds
   */
  public static int toInt(long v) {
    return (int) v;
  }

  /**
   * {@return the value of an integer}
   *
   * @param i any
   */
  public static long ofInt(int i) {
    return INT_TAG | (i & 0xFFFF_FFFFL);
  }

  /**
   * {@return whether a value is a double}
   *
   * @param v a tagged value
   */
  public static boolean isDouble(long v) {
    long tag = v >>> TAG_SHIFT;
    return tag >= 2 && tag < 0xFFF3;
  }

  /**
   * {@return the value of a double}
   *
   * @param d any; all that are not a number become the same one
   */
  public static long ofDouble(double d) {
    return Double.doubleToLongBits(d) + DOUBLE_OFFSET;
  }

  /**
   * {@return the double of a value}
   *
   * @param v a value of which {@link #isDouble} holds
   */
  public static double toDouble(long v) {
    return Double.longBitsToDouble(v - DOUBLE_OFFSET);
  }

  /**
   * {@return whether a value is true or false}
   *
   * @param v a tagged value
   */
  public static boolean isBoolean(long v) {
    return v == FALSE || v == TRUE;
  }

  /**
   * {@return the value of a boolean}
   *
   * @param b true or false
   */
  public static long ofBoolean(boolean b) {
    return b ? TRUE : FALSE;
  }

  /**
   * {@return what stands for an element whose kind is known: a raw word}
   *
   * @param kind the kind of the element
   */
  @SuppressWarnings("EnumOrdinal") // the heap's own word, which nothing keeps
  public static long ofKind(Kind kind) {
    return RAW_TAG | (kind.ordinal() + 1L);
  }

  /**
   * {@return whether a word stands for an element whose kind is known}
   *
   * @param v as {@code Mutator.lookUpKind} returns it
   */
  public static boolean isKind(long v) {
    return isRaw(v) && v != ABSENT;
  }

  /**
   * {@return the kind of the element that a word stands for}
   *
   * @param v a word of which {@link #isKind} holds
   */
  public static Kind toKind(long v) {
    return KINDS[(int) raw(v) - 1];
  }

  /**
   * {@return whether a word is a value that a slot can hold, and no reference}
   *
   * @param v any word
   */
  public static boolean isPlain(long v) {
    return isDouble(v) || v >>> 32 == INT_TAG >>> 32 || (v >= UNDEFINED && v <= TRUE);
  }

  /**
   * {@return whether a word is raw: bits of the heap's own, and no value}
   *
   * @param v any word
   */
  public static boolean isRaw(long v) {
    return v >>> TAG_SHIFT == RAW_TAG >>> TAG_SHIFT;
  }

  /**
   * {@return a raw word with 48 bits of payload}
   *
   * @param bits of which the lower 48 count
   */
  public static long ofRaw(long bits) {
    return RAW_TAG | bits;
  }

  /**
   * {@return what a raw word holds}
   *
   * @param v a raw word
   */
  public static long raw(long v) {
    return v & RAW_MASK;
  }
}
