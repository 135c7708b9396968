package dev.gleaner.lua.number;

import dev.gleaner.text.DecimalReader;
import java.util.Arrays;

/**
 * Text as a number, by the rules for numerals (§ 3.1) and for strings that are numbers (§ 3.4.3).
 *
 * <pre>
 *   blanks [+-] digits [. digits] [e [+-] digits] blanks
 *   blanks [+-] 0x hex digits [. hex digits] [p [+-] digits] blanks
 * </pre>
 *
 * Without point and exponent it is an integer: a hexadecimal one wraps around, a decimal one that
 * 64 bits do not hold is a float. Floats are correctly rounded.
 *
 * <p>The text is fed in pieces, so a string of any length is read through a small array. What is
 * kept of it is bounded: 800 decimal digits, which decide the rounding of any double, and whether
 * one of those beyond is not zero.
 */
public final class NumberReader {
  private static final int MOST_DIGITS = 800;
  private static final int HEX_DIGITS = 15;
  private static final long MOST_EXPONENT = 1_000_000_000_000L;
  private static final long LAST_TENTH = Long.MAX_VALUE / 10;

  private static final int START = 0;
  private static final int SIGNED = 1;
  private static final int ZERO = 2;
  private static final int DIGITS = 3;
  private static final int EXPONENT = 4;
  private static final int EXPONENT_SIGNED = 5;
  private static final int EXPONENT_DIGITS = 6;
  private static final int END = 7;
  private static final int BAD = 8;

  /** Room after the digits: one more digit, and the exponent. */
  private static final int SPARE = 12;

  private static final long DOUBLE_BITS = 53;

  private final DecimalReader decimals = new DecimalReader();
  private byte[] text = new byte[32 + SPARE];

  private int state;
  private boolean negative;
  private boolean hex;
  private boolean any;
  private boolean point;
  private boolean scaled;
  private boolean exponentNegative;
  private long exponent;

  /** The value as an integer, and whether a decimal one is too large for 64 bits. */
  private long integer;

  private boolean tooLarge;

  /** The value is the significant digits kept, times ten (or two) to this power. */
  private long power;

  private int kept;
  private long bits;
  private boolean rest;

  private boolean isInteger;
  private double real;

  /** Reads a whole text; answers whether it is a number. */
  public boolean read(byte[] from, int offset, int length) {
    begin();
    feed(from, offset, length);
    return end();
  }

  /** Begins a text. */
  public void begin() {
    state = START;
    negative = false;
    hex = false;
    any = false;
    point = false;
    scaled = false;
    exponentNegative = false;
    exponent = 0;
    integer = 0;
    tooLarge = false;
    power = 0;
    kept = 0;
    bits = 0;
    rest = false;
  }

  /** Reads the next bytes of the text; answers whether it may still be a number. */
  public boolean feed(byte[] from, int offset, int length) {
    for (int i = offset; i < offset + length && state != BAD; i++) {
      state = next(from[i]);
    }
    return state != BAD;
  }

  /** Ends the text; answers whether it is a number, which the other methods then tell. */
  public boolean end() {
    boolean number =
        state == ZERO || state == EXPONENT_DIGITS || state == END || (state == DIGITS && any);
    if (number) {
      isInteger = !point && !tooLarge && !scaled;
      if (isInteger) {
        integer = negative ? -integer : integer;
      } else {
        double magnitude = hex ? hexadecimal() : decimal();
        real = negative ? -magnitude : magnitude;
      }
    }
    return number;
  }

  /** Whether the last number read is an integer; otherwise it is a float. */
  public boolean isInteger() {
    return isInteger;
  }

  /** The last number read, an integer. */
  public long toLong() {
    return integer;
  }

  /** The last number read, as a float. */
  public double toDouble() {
    return isInteger ? integer : real;
  }

  private int next(int c) {
    return switch (state) {
      case START -> {
        if (isSign(c)) {
          negative = c == '-';
          yield SIGNED;
        }
        yield isBlank(c) ? START : first(c);
      }
      case SIGNED -> first(c);
      case ZERO -> {
        if ((c | 0x20) == 'x') {
          hex = true;
          any = false;
          yield DIGITS;
        }
        yield digits(c);
      }
      case DIGITS -> digits(c);
      case EXPONENT -> {
        if (isSign(c)) {
          exponentNegative = c == '-';
          yield EXPONENT_SIGNED;
        }
        yield isDigit(c) ? exponentDigit(c) : BAD;
      }
      case EXPONENT_SIGNED -> isDigit(c) ? exponentDigit(c) : BAD;
      case EXPONENT_DIGITS -> isDigit(c) ? exponentDigit(c) : blank(c);
      case END -> blank(c);
      default -> BAD;
    };
  }

  private int first(int c) {
    return c == '0' ? digit(0, ZERO) : digits(c);
  }

  private int digits(int c) {
    if (isDigit(c)) {
      return digit(c - '0', DIGITS);
    }
    int letter = c | 0x20;
    if (hex && letter >= 'a' && letter <= 'f') {
      return digit(letter - 'a' + 10, DIGITS);
    }
    if (c == '.' && !point) {
      point = true;
      return DIGITS;
    }
    if (any && letter == (hex ? 'p' : 'e')) {
      scaled = true;
      return EXPONENT;
    }
    return any ? blank(c) : BAD;
  }

  private int digit(int d, int then) {
    any = true;
    if (hex) {
      hexDigit(d);
    } else {
      decimalDigit(d);
    }
    return then;
  }

  private void hexDigit(int d) {
    integer = integer << 4 | d;
    if (d == 0 && kept == 0) {
      power -= point ? 4 : 0;
    } else if (kept < HEX_DIGITS) {
      bits = bits << 4 | d;
      kept++;
      power -= point ? 4 : 0;
    } else {
      rest |= d != 0;
      power += point ? 0 : 4;
    }
  }

  private void decimalDigit(int d) {
    boolean fits = integer < LAST_TENTH || (integer == LAST_TENTH && d <= 7 + (negative ? 1 : 0));
    tooLarge |= !fits || integer < 0;
    integer = integer * 10 + d;
    if (d == 0 && kept == 0) {
      power -= point ? 1 : 0;
    } else if (kept < MOST_DIGITS) {
      keep(d);
      power -= point ? 1 : 0;
    } else {
      rest |= d != 0;
      power += point ? 0 : 1;
    }
  }

  private void keep(int d) {
    if (kept == text.length - SPARE) {
      text = Arrays.copyOf(text, MOST_DIGITS + SPARE);
    }
    text[kept++] = (byte) ('0' + d);
  }

  private int exponentDigit(int c) {
    exponent = Math.min(exponent * 10 + c - '0', MOST_EXPONENT);
    return EXPONENT_DIGITS;
  }

  private static int blank(int c) {
    return isBlank(c) ? END : BAD;
  }

  private static boolean isBlank(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  private static boolean isSign(int c) {
    return c == '-' || c == '+';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private long wholePower() {
    return power + (exponentNegative ? -exponent : exponent);
  }

  private double decimal() {
    if (kept == 0) {
      return 0;
    }
    long most = wholePower() + kept;
    if (most < -330) {
      return 0;
    }
    if (most > 310) {
      return Double.POSITIVE_INFINITY;
    }
    int power = (int) wholePower();
    int length = kept;
    if (rest) {
      text[length++] = '1';
      power--;
    }
    text[length++] = 'e';
    length = NumberWriter.write(power, text, length);
    decimals.read(text, length);
    return decimals.toDouble();
  }

  /** Rounds to the nearest, ties to even; of what was not kept it is enough that it is not zero. */
  private double hexadecimal() {
    if (kept == 0) {
      return 0;
    }
    long width = (long) Long.SIZE - Long.numberOfLeadingZeros(bits);
    long scale = wholePower();
    long most = scale + width - 1;
    if (most > Double.MAX_EXPONENT) {
      return Double.POSITIVE_INFINITY;
    }
    if (most < Double.MIN_EXPONENT - DOUBLE_BITS) {
      return 0;
    }
    long precision = Math.min(DOUBLE_BITS, DOUBLE_BITS + most - Double.MIN_EXPONENT);
    int excess = (int) (width - precision);
    long mantissa = bits;
    if (excess > 0) {
      long half = 1L << (excess - 1);
      long over = bits & ((half << 1) - 1);
      mantissa = bits >>> excess;
      if (over > half || (over == half && (rest || (mantissa & 1) != 0))) {
        mantissa++;
      }
      scale += excess;
    }
    return Math.scalb((double) mantissa, (int) scale);
  }
}
