package dev.gleaner.text;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Text as a number: what {@link DecimalWriter} writes, and more.
 *
 * <pre>
 *   [+-] digits [. digits] [e|E [+-] digits]    one digit at least before the exponent; "1." and ".5" will do
 *   [+-] Infinity | NaN
 * </pre>
 *
 * Without point and exponent it is an integer, if 64 bits hold it; else a double, correctly
 * rounded. Up to 19 digits this takes no Java string: exactly by one multiplication or division
 * where both factors are exact (Clinger, "How to read floating point numbers accurately", 1990),
 * else by 128 bits of the power of ten (Lemire, "Number parsing at a gigabyte per second", 2021).
 * The few cases that these leave open, and digits beyond, are for {@link Double#parseDouble}.
 */
public final class DecimalReader {
  private static final int MOST_DIGITS = 19;
  private static final int LEAST_POWER = -348;
  private static final int MOST_POWER = 347;
  private static final double[] EXACT = new double[23];

  static {
    double power = 1;
    for (int i = 0; i < EXACT.length; i++) {
      EXACT[i] = power;
      power *= 10;
    }
  }

  private boolean isInteger;
  private long integer;
  private double number;

  /** Whether the last number read is an integer. */
  public boolean isInteger() {
    return isInteger;
  }

  /** The last number read, an integer. */
  public long toLong() {
    return integer;
  }

  /** The last number read. */
  public double toDouble() {
    return number;
  }

  /** Reads the first bytes of an array; answers whether all of them are a number. */
  public boolean read(byte[] b, int length) {
    isInteger = false;
    int i = 0;
    boolean negative = length > 0 && b[0] == '-';
    if (length > 0 && (b[0] == '-' || b[0] == '+')) {
      i++;
    }
    if (i < length && b[i] >= 'A') {
      return word(b, i, length, negative);
    }
    long digits = 0;
    int kept = 0;
    int seen = 0;
    int power = 0;
    boolean point = false;
    for (; i < length; i++) {
      int c = b[i] - '0';
      if (c >= 0 && c <= 9) {
        seen++;
        if (kept < MOST_DIGITS) {
          digits = digits * 10 + c;
          kept += digits == 0 ? 0 : 1;
          power -= point ? 1 : 0;
        } else {
          kept++;
          power += point ? 0 : 1;
        }
      } else if (b[i] == '.' && !point) {
        point = true;
      } else {
        break;
      }
    }
    if (seen == 0) {
      return false;
    }
    boolean whole = i == length && !point;
    if (i < length && (b[i] | 0x20) == 'e') {
      int at = exponentStart(b, i + 1, length);
      if (at < 0) {
        return false;
      }
      int exponent = exponent(b, at, length);
      power = b[at - 1] == '-' ? power - exponent : power + exponent;
      i = length;
    }
    if (i < length) {
      return false;
    }
    long value = negative ? -digits : digits;
    if (whole && kept <= MOST_DIGITS && (value == 0 || value < 0 == negative)) {
      isInteger = true;
      integer = value;
      number = value;
      return true;
    }
    double d = kept > MOST_DIGITS ? Double.NaN : fast(digits, power);
    number =
        Double.isNaN(d)
            ? Double.parseDouble(new String(b, 0, length, StandardCharsets.ISO_8859_1))
            : negative ? -d : d;
    return true;
  }

  private boolean word(byte[] b, int at, int length, boolean negative) {
    if (is("NaN", b, at, length)) {
      number = Double.NaN;
    } else if (is("Infinity", b, at, length)) {
      number = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    } else {
      return false;
    }
    return true;
  }

  private static boolean is(String word, byte[] b, int at, int length) {
    if (length - at != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (b[at + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Where the digits of an exponent begin, which go to the end; -1 if they do not. */
  private static int exponentStart(byte[] b, int from, int length) {
    int at = from < length && (b[from] == '-' || b[from] == '+') ? from + 1 : from;
    for (int i = at; i < length; i++) {
      if (b[i] < '0' || b[i] > '9') {
        return -1;
      }
    }
    return at < length ? at : -1;
  }

  private static int exponent(byte[] b, int from, int length) {
    int n = 0;
    for (int i = from; i < length && n < 100_000_000; i++) {
      n = n * 10 + b[i] - '0';
    }
    return n;
  }

  /** Digits times a power of ten, both exact; NaN if this is not the way to know. */
  private static double fast(long digits, int power) {
    if (digits == 0) {
      return 0;
    }
    if (digits >>> 53 == 0 && power >= -22 && power <= 22) {
      return power < 0 ? digits / EXACT[-power] : digits * EXACT[power];
    }
    return power < LEAST_POWER || power > MOST_POWER ? Double.NaN : lemire(digits, power);
  }

  private static double lemire(long digits, int power) {
    int zeros = Long.numberOfLeadingZeros(digits);
    long w = digits << zeros;
    long exponent = ((217_706L * power) >> 16) + 64 + 1023 - zeros;
    long high = Math.unsignedMultiplyHigh(w, Powers.HIGH[power - LEAST_POWER]);
    long low = w * Powers.HIGH[power - LEAST_POWER];
    if ((high & 0x1FF) == 0x1FF && Long.compareUnsigned(low + w, w) < 0) {
      long moreHigh = Math.unsignedMultiplyHigh(w, Powers.LOW[power - LEAST_POWER]);
      long moreLow = w * Powers.LOW[power - LEAST_POWER];
      long sum = low + moreHigh;
      high += Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
      low = sum;
      if ((high & 0x1FF) == 0x1FF && low == -1 && Long.compareUnsigned(moreLow + w, w) < 0) {
        return Double.NaN;
      }
    }
    long top = high >>> 63;
    long mantissa = high >>> (top + 9);
    exponent -= 1 ^ top;
    if (low == 0 && (high & 0x1FF) == 0 && (mantissa & 3) == 1) {
      return Double.NaN; // half way between two, perhaps
    }
    mantissa += mantissa & 1;
    mantissa >>>= 1;
    if (mantissa >>> 53 != 0) {
      mantissa >>>= 1;
      exponent++;
    }
    return exponent < 1 || exponent > 0x7FE
        ? Double.NaN
        : Double.longBitsToDouble(exponent << 52 | (mantissa & ((1L << 52) - 1)));
  }

  /** The upper 128 bits of powers of ten, rounded down; made when they are first needed. */
  private static final class Powers {
    static final long[] HIGH = new long[MOST_POWER - LEAST_POWER + 1];
    static final long[] LOW = new long[HIGH.length];

    static {
      for (int p = LEAST_POWER; p <= MOST_POWER; p++) {
        BigInteger bits = BigInteger.TEN.pow(Math.abs(p));
        if (p < 0) {
          bits = BigInteger.ONE.shiftLeft(bits.bitLength() + 127).divide(bits);
        }
        int excess = bits.bitLength() - 128;
        bits = excess > 0 ? bits.shiftRight(excess) : bits.shiftLeft(-excess);
        HIGH[p - LEAST_POWER] = bits.shiftRight(64).longValue();
        LOW[p - LEAST_POWER] = bits.longValue();
      }
    }

    private Powers() {}
  }
}
