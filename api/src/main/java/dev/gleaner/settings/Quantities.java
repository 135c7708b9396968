package dev.gleaner.settings;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Numbers, sizes and times as anybody may write them, in the units of HOCON.
 *
 * <p>The work is bounded: a text that is longer than any number, or whose exponent is beyond any
 * setting, is none. Config's own reading expands such a number, digit by digit.
 */
@API(status = API.Status.INTERNAL)
public final class Quantities {
  private static final int LONGEST = 400;
  private static final int LONGEST_SHORT = 18;

  // What longer names say, in the singular, is in the maps: "kibibyte", "kibibytes".
  private static final Map<String, Long> NANOS =
      Map.ofEntries(
          Map.entry("ns", 1L),
          Map.entry("nano", 1L),
          Map.entry("nanosecond", 1L),
          Map.entry("us", 1_000L),
          Map.entry("micro", 1_000L),
          Map.entry("microsecond", 1_000L),
          Map.entry("ms", 1_000_000L),
          Map.entry("milli", 1_000_000L),
          Map.entry("millisecond", 1_000_000L),
          Map.entry("s", 1_000_000_000L),
          Map.entry("second", 1_000_000_000L),
          Map.entry("m", 60_000_000_000L),
          Map.entry("minute", 60_000_000_000L),
          Map.entry("h", 3_600_000_000_000L),
          Map.entry("hour", 3_600_000_000_000L),
          Map.entry("d", 86_400_000_000_000L),
          Map.entry("day", 86_400_000_000_000L));

  /** The letters of the units, each 1000 or 1024 times the one before. */
  private static final String LETTERS = "KMGTPEZY";

  private static final String[] DECIMAL = {
    "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"
  };
  private static final String[] BINARY = {
    "kibi", "mebi", "gibi", "tebi", "pebi", "exbi", "zebi", "yobi"
  };

  private Quantities() {}

  /**
   * {@return a number; null if the text is none, or one beyond any setting}
   *
   * @param text decimal, with an exponent or without
   */
  public static @Nullable BigDecimal decimal(String text) {
    String digits = text.strip();
    if (digits.length() > LONGEST || !beginsAsNumber(digits)) {
      return null;
    }
    try {
      BigDecimal number = new BigDecimal(digits);
      return Math.abs((long) number.scale()) > LONGEST ? null : number;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static boolean beginsAsNumber(String text) {
    char first = text.isEmpty() ? ' ' : text.charAt(0);
    return Character.isDigit(first) || first == '-' || first == '+' || first == '.';
  }

  /**
   * {@return a size in bytes, rounded down; null if the text is none, or more than a long holds}
   *
   * @param text a number and a unit, such as {@code 64KiB}; bytes without one
   */
  public static @Nullable Long bytes(String text) {
    int end = endOfNumber(text);
    Unit unit = unitOfBytes(text.substring(end).strip());
    return unit == null ? null : product(text.substring(0, end).strip(), unit);
  }

  /**
   * {@return a time in nanoseconds, rounded down; null if the text is none, or more than a long
   * holds}
   *
   * @param text a number and a unit, such as {@code 2ms}; the unit is required
   */
  public static @Nullable Long nanos(String text) {
    int end = endOfNumber(text);
    String name = text.substring(end).strip();
    Long unit = NANOS.get(name);
    if (unit == null && name.length() > 3 && name.endsWith("s")) {
      unit = NANOS.get(name.substring(0, name.length() - 1));
    }
    return unit == null ? null : product(text.substring(0, end).strip(), new Unit(unit, 1));
  }

  /** A base to a power. */
  private record Unit(long base, int power) {
    BigDecimal exact() {
      return BigDecimal.valueOf(base).pow(power);
    }
  }

  private static @Nullable Long product(String number, Unit unit) {
    if (isShort(number)) { // nearly all are; see SettingValues
      return product(Long.parseLong(number), unit);
    }
    BigDecimal factor = decimal(number);
    try {
      return factor == null
          ? null
          : factor.multiply(unit.exact()).setScale(0, RoundingMode.DOWN).longValueExact();
    } catch (ArithmeticException e) {
      return null;
    }
  }

  private static @Nullable Long product(long factor, Unit unit) {
    long product = factor;
    for (int i = 0; i < unit.power(); i++) {
      if (Math.multiplyHigh(product, unit.base()) != 0 || product * unit.base() < 0) {
        return null;
      }
      product *= unit.base();
    }
    return product;
  }

  /** Whether these are digits alone, which a long holds. */
  private static boolean isShort(String number) {
    for (int i = 0; i < number.length(); i++) {
      if (number.charAt(i) < '0' || number.charAt(i) > '9') {
        return false;
      }
    }
    return !number.isEmpty() && number.length() <= LONGEST_SHORT;
  }

  /** A unit is the letters at the end. */
  private static int endOfNumber(String text) {
    int end = text.stripTrailing().length();
    while (end > 0 && Character.isLetter(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static @Nullable Unit unitOfBytes(String name) {
    switch (name) {
      case "", "B", "b", "byte", "bytes" -> {
        return new Unit(1, 1);
      }
      default -> {
        // one of those below
      }
    }
    String one = name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
    for (int i = 0; i < LETTERS.length(); i++) {
      String letter = LETTERS.substring(i, i + 1);
      if (name.equals(letter)
          || name.equals(letter.toLowerCase(Locale.ROOT))
          || name.equals(letter + "i")
          || name.equals(letter + "iB")
          || one.equals(BINARY[i] + "byte")) {
        return new Unit(1024, i + 1);
      }
      if (name.equals((i == 0 ? "k" : letter) + "B") || one.equals(DECIMAL[i] + "byte")) {
        return new Unit(1000, i + 1);
      }
    }
    return null;
  }
}
