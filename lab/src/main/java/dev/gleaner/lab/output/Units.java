package dev.gleaner.lab.output;

import java.util.Locale;

/** Figures as people read them: three significant digits and a unit. */
final class Units {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final String[] DECIMAL = {"", " k", " M", " G"};

  private Units() {}

  static String seconds(double seconds) {
    double nanos = seconds * 1e9;
    if (nanos < 0.5) {
      return "0";
    }
    if (nanos < 999.5) {
      return digits(nanos) + " ns";
    }
    if (nanos < 999.5e3) {
      return digits(nanos / 1e3) + " µs";
    }
    if (nanos < 999.5e6) {
      return digits(nanos / 1e6) + " ms";
    }
    return digits(seconds) + " s";
  }

  static String bytes(double bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.5 && unit < BINARY.length - 1) {
      value /= 1024;
      unit++;
    }
    return (unit == 0 ? whole(value) : digits(value)) + " " + BINARY[unit];
  }

  /** Returns a number of things; four digits stand as they are. */
  static String count(double count) {
    if (count < 9999.5) {
      return whole(count);
    }
    double value = count;
    int unit = 0;
    while (value >= 999.5 && unit < DECIMAL.length - 1) {
      value /= 1000;
      unit++;
    }
    return digits(value) + DECIMAL[unit];
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", share * 100);
  }

  /** Returns a figure of a workload's own, whose unit is in its name. */
  static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.format(Locale.ROOT, "%d", (long) value)
        : digits(value);
  }

  /** Returns three significant digits, more before the point. */
  static String digits(double value) {
    double size = Math.abs(value);
    int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  private static String whole(double value) {
    return Long.toString(Math.round(value));
  }
}
