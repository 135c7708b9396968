package dev.gleaner.lua.number;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between integers and floats (§ 3.4.3), numbers as Java strings for messages, and
 * operators where Lua has other results than Java.
 */
public final class Numbers {
  private static final double LEAST = -0x1p63;

  private Numbers() {}

  /** Whether a float has an integer's value, one of 64 bits. */
  public static boolean hasInteger(double v) {
    return v >= LEAST && v < -LEAST && (double) (long) v == v;
  }

  /** A power as C has it: of 1 it is 1, and of −1 if the exponent is infinite; Java says NaN. */
  public static double power(double x, double y) {
    if (y == 2) {
      return x * x;
    }
    return x == 1 || (x == -1 && Double.isInfinite(y)) ? 1 : Math.pow(x, y);
  }

  /** What is left of a division that rounds down. */
  public static double modulo(double x, double y) {
    double v = x % y;
    return v != 0 && v < 0 != y < 0 ? v + y : v;
  }

  /** An integer shifted to the left, or to the right by less than 0; bits that are new are 0. */
  public static long shift(long x, long by) {
    if (by <= -64 || by >= 64) {
      return 0;
    }
    return by >= 0 ? x << by : x >>> -by;
  }

  /** The text of an integer. */
  public static String text(long v) {
    return Long.toString(v);
  }

  /** The text of a float; for messages, as it makes a Java string. */
  public static String text(double v) {
    byte[] bytes = new byte[NumberWriter.MOST];
    int length = new NumberWriter().write(v, bytes, 0);
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  /** What a text is: a {@code Long}, a {@code Double}, or null if it is no number. */
  public static @Nullable Number parse(String text) {
    NumberReader reader = new NumberReader();
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (!reader.read(bytes, 0, bytes.length)) {
      return null;
    }
    if (reader.isInteger()) {
      return reader.toLong();
    }
    return reader.toDouble();
  }
}
