package dev.gleaner.spi;

/**
 * Tagged 64-bit values, the contents of every slot.
 *
 * <pre>
 *   0                                undefined, so zeroed memory is a row of undefined slots
 *   1, 2, 3                          null, false, true
 *   0000 : offset, 8-byte aligned    a reference: an element's offset in its Memory, below 2^48
 *   0002 .. FFF2 : …                 a double, its bits plus 2^49 (NaN is canonical)
 *   FFFE : 0000 : 32 bits            a 32-bit integer
 *   FFFF : 48 bits                   raw: a word of the heap's own that no scan mistakes for a reference
 * </pre>
 *
 * <p>Invariant: {@code (v & NOT_REFERENCE) == 0} exactly for references and undefined, so that a
 * scan tests a value with one mask; undefined reads as offset 0, which no element has.
 */
public final class Values {
  public static final long UNDEFINED = 0;
  public static final long NULL = 1;
  public static final long FALSE = 2;
  public static final long TRUE = 3;

  /** Bits that are all clear in a reference (and in undefined). */
  public static final long NOT_REFERENCE = 0xFFFF_0000_0000_0007L;

  public static final int TAG_SHIFT = 48;
  public static final long INT_TAG = 0xFFFEL << TAG_SHIFT;
  public static final long RAW_TAG = 0xFFFFL << TAG_SHIFT;
  public static final long RAW_MASK = (1L << TAG_SHIFT) - 1;

  private static final long DOUBLE_OFFSET = 1L << 49;

  private Values() {}

  public static boolean isReference(long v) {
    return (v & NOT_REFERENCE) == 0 && v != 0;
  }

  public static boolean isInt(long v) {
    return v >>> TAG_SHIFT == 0xFFFE;
  }

  public static long ofInt(int i) {
    return INT_TAG | (i & 0xFFFF_FFFFL);
  }

  public static boolean isDouble(long v) {
    long tag = v >>> TAG_SHIFT;
    return tag >= 2 && tag < 0xFFF3;
  }

  public static long ofDouble(double d) {
    return Double.doubleToLongBits(d) + DOUBLE_OFFSET;
  }

  public static double toDouble(long v) {
    return Double.longBitsToDouble(v - DOUBLE_OFFSET);
  }

  public static boolean isBoolean(long v) {
    return v == FALSE || v == TRUE;
  }

  /** A raw word with 48 bits of payload. */
  public static long ofRaw(long bits) {
    return RAW_TAG | bits;
  }

  public static long raw(long v) {
    return v & RAW_MASK;
  }
}
