package dev.gleaner.lua.number;

/**
 * Floats as C's {@code printf} writes them, in the conversions a, e, f and g, without the width.
 *
 * <p>No more than {@link #MOST} bytes are written, whatever the value, for a precision up to 99.
 */
public final class FloatFormat {
  /** The most bytes that one number takes: %.99f of the largest one. */
  public static final int MOST = 420;

  /** Flag: a plus sign before what has no minus sign. */
  public static final int PLUS = 1;

  /** Flag: a blank in place of the plus sign. */
  public static final int BLANK = 2;

  /** Flag: the point is there even if no digit follows it; %g keeps its zeros. */
  public static final int ALTERNATE = 4;

  private static final byte[] NONE = new byte[0];

  private final Digits digits = new Digits();
  private byte[] to = NONE;
  private int at;

  /**
   * Writes a number; answers where it ends.
   *
   * @param v any
   * @param conversion one of a, e, f, g; a capital letter writes capitals
   * @param flags any of {@link #PLUS}, {@link #BLANK} and {@link #ALTERNATE}
   * @param precision up to 99; negative for the usual one
   * @param to where to, with room for {@link #MOST} bytes, or as many as the precision needs
   * @param at where it begins
   */
  public int write(double v, char conversion, int flags, int precision, byte[] to, int at) {
    this.to = to;
    this.at = at;
    boolean capital = conversion < 'a';
    boolean minus = Double.isNaN(v) || Double.doubleToRawLongBits(v) < 0;
    if (minus) {
      put('-');
    } else if ((flags & PLUS) != 0) {
      put('+');
    } else if ((flags & BLANK) != 0) {
      put(' ');
    }
    if (Double.isNaN(v)) {
      word(capital ? "NAN" : "nan");
    } else if (Double.isInfinite(v)) {
      word(capital ? "INF" : "inf");
    } else {
      finite(Math.abs(v), conversion, (flags & ALTERNATE) != 0, precision);
    }
    int end = this.at;
    this.to = NONE;
    return end;
  }

  private void finite(double v, char conversion, boolean alternate, int precision) {
    int places = precision < 0 ? 6 : precision;
    char exponentLetter = conversion < 'a' ? 'E' : 'e';
    switch (conversion | 0x20) {
      case 'a' -> hexadecimal(v, conversion == 'A', alternate, precision);
      case 'e' -> {
        significant(v, places + 1);
        scientific(exponentLetter, places, alternate);
      }
      case 'f' -> {
        if (v == 0) {
          significant(v, 1);
        } else {
          digits.fixed(v, places);
        }
        plain(places, alternate);
      }
      default -> general(v, exponentLetter, Math.max(places, 1), alternate);
    }
  }

  private void general(double v, char exponentLetter, int wanted, boolean alternate) {
    significant(v, wanted);
    int power = digits.exponent - 1;
    int shown = alternate ? wanted : Math.max(digits.count, 1);
    if (power < -4 || power >= wanted) {
      scientific(exponentLetter, shown - 1, alternate);
    } else {
      plain(Math.max(shown - 1 - power, 0), alternate);
    }
  }

  private void significant(double v, int wanted) {
    if (v == 0) {
      digits.count = 0;
      digits.exponent = 1;
    } else {
      digits.significant(v, wanted);
    }
  }

  private void scientific(char letter, int places, boolean alternate) {
    put(digits.at(0));
    fraction(1, places, alternate);
    put(letter);
    int power = digits.exponent - 1;
    put(power < 0 ? '-' : '+');
    if (Math.abs(power) < 10) {
      put('0');
    }
    at = NumberWriter.write(Math.abs(power), to, at);
  }

  private void plain(int places, boolean alternate) {
    int whole = digits.exponent;
    if (whole <= 0) {
      put('0');
    }
    for (int i = 0; i < whole; i++) {
      put(digits.at(i));
    }
    fraction(whole, places, alternate);
  }

  private void fraction(int from, int places, boolean alternate) {
    if (places > 0 || alternate) {
      put('.');
    }
    for (int i = 0; i < places; i++) {
      put(digits.at(from + i));
    }
  }

  private void hexadecimal(double v, boolean capital, boolean alternate, int precision) {
    long raw = Double.doubleToRawLongBits(v);
    int power = v == 0 ? 0 : Math.max(Math.getExponent(v), Double.MIN_EXPONENT);
    long mantissa = raw & ((1L << 52) - 1);
    if (v >= Double.MIN_NORMAL) {
      mantissa |= 1L << 52;
    }
    int places = precision;
    if (precision < 0) {
      places = (52 - Math.min(Long.numberOfTrailingZeros(mantissa | 1L << 52), 52) + 3) / 4;
    } else if (precision < 13) {
      long half = 1L << (51 - 4 * precision);
      long over = mantissa & (half * 2 - 1);
      mantissa -= over;
      boolean odd = (mantissa & half * 2) != 0;
      if (over > half || (over == half && odd)) {
        mantissa += half * 2;
      }
    }
    put('0');
    put(capital ? 'X' : 'x');
    put((char) ('0' + (mantissa >>> 52)));
    if (places > 0 || alternate) {
      put('.');
    }
    for (int i = 1; i <= places; i++) {
      int digit = i <= 13 ? (int) (mantissa >>> (52 - 4 * i)) & 15 : 0;
      char c = Character.forDigit(digit, 16);
      put(capital ? Character.toUpperCase(c) : c);
    }
    put(capital ? 'P' : 'p');
    put(power < 0 ? '-' : '+');
    at = NumberWriter.write(Math.abs(power), to, at);
  }

  private void word(String s) {
    for (int i = 0; i < s.length(); i++) {
      put(s.charAt(i));
    }
  }

  private void put(int c) {
    to[at++] = (byte) c;
  }
}
