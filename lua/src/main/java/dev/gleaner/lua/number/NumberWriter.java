package dev.gleaner.lua.number;

/**
 * Numbers as text, as {@code tostring} has them: integers in decimal, floats as {@code %.14g}, with
 * ".0" where that looks like an integer.
 *
 * <p>The heap knows one value that is not a number, so its sign is lost. It is written "-nan",
 * which is what Lua shows for 0/0 on the usual processors.
 */
public final class NumberWriter {
  /** The most bytes that {@code write} writes. */
  public static final int MOST = 32;

  private static final byte[] LEAST = {
    '-', '9', '2', '2', '3', '3', '7', '2', '0', '3', '6', '8', '5', '4', '7', '7', '5', '8', '0',
    '8'
  };

  private final FloatFormat format = new FloatFormat();

  /** Writes an integer in decimal; answers where it ends. */
  public static int write(long v, byte[] to, int at) {
    if (v == Long.MIN_VALUE) {
      System.arraycopy(LEAST, 0, to, at, LEAST.length);
      return at + LEAST.length;
    }
    int start = at;
    if (v < 0) {
      to[start++] = '-';
    }
    return writeUnsigned(Math.abs(v), 10, to, start);
  }

  /** Writes digits of an unsigned integer in a base up to 16; answers where they end. */
  public static int writeUnsigned(long v, int base, byte[] to, int at) {
    int count = 1;
    for (long left = Long.divideUnsigned(v, base); left != 0; left = left / base) {
      count++;
    }
    long left = v;
    for (int i = at + count - 1; i >= at; i--) {
      long tenth = left < 0 ? Long.divideUnsigned(left, base) : left / base;
      to[i] = (byte) Character.forDigit((int) (left - tenth * base), base);
      left = tenth;
    }
    return at + count;
  }

  /** Writes a float; answers where it ends. */
  public int write(double v, byte[] to, int at) {
    int end = format.write(v, 'g', 0, 14, to, at);
    for (int i = at; i < end; i++) {
      if (to[i] != '-' && (to[i] < '0' || to[i] > '9')) {
        return end;
      }
    }
    to[end] = '.';
    to[end + 1] = '0';
    return end + 2;
  }
}
