package dev.gleaner.lua.number;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/**
 * The decimal digits of a double, correctly rounded (ties to even), as many as are asked for.
 *
 * <p>Up to 17 digits come from one product of the mantissa and 128 bits of a power of ten. The
 * power is rounded down, so the product is a little too small; where that leaves open on which side
 * of a half it is, and for more digits, {@link BigDecimal} knows. That is bounded: a double has at
 * most 767 significant digits.
 */
final class Digits {
  private static final int MOST_FAST = 17;

  /** Powers of ten up to this one are exact in 128 bits. */
  private static final int MOST_EXACT = 55;

  /** How many units of 2^64 a product may be too small by. */
  private static final int ERROR = 8;

  /** The digits, as characters; zeros after them are not here. */
  final byte[] digits = new byte[800];

  /** How many there are. */
  int count;

  /** The value is 0.DIGITS times ten to this power. */
  int exponent;

  /** Rounds to so many significant digits, one at least. The value is positive and finite. */
  void significant(double v, int wanted) {
    int k = lowExponent(v);
    if (wanted <= MOST_FAST) {
      for (int tries = 0; tries < 2; tries++, k++) {
        long d = scaled(v, wanted - 1 - k);
        if (d < 0) {
          break;
        }
        if (d <= Powers.LONG[wanted]) {
          set(d, k + 1 - wanted);
          return;
        }
      }
    }
    set(new BigDecimal(v).round(new MathContext(wanted, RoundingMode.HALF_EVEN)));
  }

  /** Rounds to so many digits after the point. The value is positive and finite. */
  void fixed(double v, int places) {
    if (lowExponent(v) + 2 + places <= MOST_FAST) {
      long d = scaled(v, places);
      if (d >= 0) {
        set(d, -places);
        return;
      }
    }
    set(new BigDecimal(v).setScale(places, RoundingMode.HALF_EVEN));
  }

  /** The digit at a place of the digits that were asked for, '0' after those that are kept. */
  byte at(int place) {
    return place >= 0 && place < count ? digits[place] : (byte) '0';
  }

  /** Floor of the decimal logarithm, or one less. */
  private static int lowExponent(double v) {
    int binary = v >= Double.MIN_NORMAL ? Math.getExponent(v) : Math.getExponent(v * 0x1p54) - 54;
    return (int) Math.floor(binary * 0.301029995663981);
  }

  private void set(long d, int power) {
    int end = NumberWriter.writeUnsigned(d, 10, digits, 0);
    trim(d == 0 ? 0 : end, power);
  }

  private void set(BigDecimal d) {
    byte[] text = d.unscaledValue().toString().getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(text, 0, digits, 0, text.length);
    trim(d.signum() == 0 ? 0 : text.length, -d.scale());
  }

  private void trim(int length, int power) {
    exponent = length + power;
    int end = length;
    while (end > 0 && digits[end - 1] == '0') {
      end--;
    }
    count = end;
  }

  /** A double times a power of ten, rounded; -1 if this is not the way to know. Below 10^18. */
  private static long scaled(double v, int power) {
    if (power < Powers.LEAST || power > Powers.MOST) {
      return -1;
    }
    long raw = Double.doubleToRawLongBits(v);
    int biased = (int) (raw >>> 52);
    long mantissa = raw & ((1L << 52) - 1);
    if (biased == 0) {
      biased = 1;
    } else {
      mantissa |= 1L << 52;
    }
    int zeros = Long.numberOfLeadingZeros(mantissa);
    mantissa <<= zeros;
    int binary = biased - 1075 - zeros;

    int index = power - Powers.LEAST;
    long high = Powers.HIGH[index];
    long low = Powers.LOW[index];
    long middle = Math.unsignedMultiplyHigh(mantissa, low);
    long bottom = mantissa * low;
    long top = Math.unsignedMultiplyHigh(mantissa, high);
    long sum = middle + mantissa * high;
    if (Long.compareUnsigned(sum, middle) < 0) {
      top++;
    }
    // The product is top : sum : bottom, times two to this power; its point is so many bits up.
    int point = -(binary + Powers.exponent(power)) - 128;
    if (point < 1 || point > 63) {
      return point > 64 ? 0 : -1;
    }
    long whole = top >>> point;
    long fraction = top << (64 - point);
    return round(whole, fraction, sum, bottom, power, 64 - point);
  }

  private static long round(
      long whole, long fraction, long sum, long bottom, int power, int shift) {
    long half = Long.MIN_VALUE;
    if (power >= 0 && power <= MOST_EXACT) {
      if (fraction == half && (sum | bottom) == 0) {
        return whole + (whole & 1);
      }
      return fraction < 0 ? whole + 1 : whole;
    }
    long unit = 1L << shift;
    boolean above = fraction == half && sum == 0;
    boolean below = fraction == half - unit && sum >= -ERROR && sum < 0;
    return above || below ? -1 : fraction < 0 ? whole + 1 : whole;
  }

  /** The upper 128 bits of powers of ten, rounded down; made when they are first needed. */
  private static final class Powers {
    static final int LEAST = -310;
    static final int MOST = 345;
    static final long[] HIGH = new long[MOST - LEAST + 1];
    static final long[] LOW = new long[HIGH.length];
    static final long[] LONG = new long[MOST_FAST + 1];

    static {
      for (int p = LEAST; p <= MOST; p++) {
        BigInteger bits = BigInteger.TEN.pow(Math.abs(p));
        if (p < 0) {
          bits = BigInteger.ONE.shiftLeft(bits.bitLength() + 127).divide(bits);
        }
        int excess = bits.bitLength() - 128;
        bits = excess > 0 ? bits.shiftRight(excess) : bits.shiftLeft(-excess);
        HIGH[p - LEAST] = bits.shiftRight(64).longValue();
        LOW[p - LEAST] = bits.longValue();
      }
      LONG[0] = 1;
      for (int i = 1; i < LONG.length; i++) {
        LONG[i] = LONG[i - 1] * 10;
      }
    }

    private Powers() {}

    /** The power of two that the 128 bits of a power of ten are to be multiplied by. */
    static int exponent(int power) {
      return (int) Math.floor(power * 3.321928094887362) - 127;
    }
  }
}
