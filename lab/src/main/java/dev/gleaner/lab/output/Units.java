package dev.gleaner.lab.output;

import java.util.List;
import java.util.Locale;

/** Figures as people read them, with three significant digits. */
public final class Units {
  /** A unit, and how many of the base unit, seconds or bytes, it is. */
  public record Unit(String name, double size) {
    /** Returns what a label says with this unit. */
    public String of(String label) {
      return name.isEmpty() ? label : label + ", " + name;
    }

    /** Returns a value in this unit, without its name. */
    public String text(double value) {
      return digits(value / size);
    }
  }

  private static final List<Unit> TIMES =
      List.of(new Unit("ns", 1e-9), new Unit("µs", 1e-6), new Unit("ms", 1e-3), new Unit("s", 1));
  private static final List<Unit> SIZES =
      List.of(
          new Unit("B", 1),
          new Unit("KiB", 1L << 10),
          new Unit("MiB", 1L << 20),
          new Unit("GiB", 1L << 30));
  private static final List<Unit> COUNTS =
      List.of(new Unit("", 1), new Unit(" k", 1e3), new Unit(" M", 1e6), new Unit(" G", 1e9));
  private static final int MOST_DECIMALS = 6;

  private Units() {}

  /** Returns the largest unit that the time is one or more of; milliseconds for none. */
  public static Unit time(double seconds) {
    return seconds == 0 ? TIMES.get(2) : unit(TIMES, seconds);
  }

  /** Returns the largest unit that the size is one or more of. */
  public static Unit size(double bytes) {
    return unit(SIZES, bytes);
  }

  /** Returns what numbers of this size are counted in; nothing below ten thousand. */
  public static Unit number(double count) {
    Unit unit = count < 9999.5 ? COUNTS.getFirst() : unit(COUNTS, count);
    return new Unit(unit.name().strip(), unit.size());
  }

  /** Returns a time with its unit. */
  public static String seconds(double seconds) {
    Unit unit = time(seconds);
    return unit.text(seconds) + " " + unit.name();
  }

  /** Returns a size with its unit. */
  public static String bytes(double bytes) {
    Unit unit = size(bytes);
    return unit.text(bytes) + " " + unit.name();
  }

  /** Returns a size with its unit. */
  static String bytes(long bytes) {
    return bytes((double) bytes);
  }

  /** Returns a number of things; four digits stand as they are. */
  static String count(long count) {
    return count((double) count);
  }

  /** Returns a number of things; four digits stand as they are. */
  public static String count(double count) {
    Unit unit = count < 9999.5 ? COUNTS.getFirst() : unit(COUNTS, count);
    return unit.text(count) + unit.name();
  }

  /** Returns three significant digits, more of a whole number. */
  public static String digits(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    int decimals = 2 - (int) Math.floor(Math.log10(Math.abs(value) * 1.0005));
    return String.format(Locale.ROOT, "%." + Math.clamp(decimals, 0, MOST_DECIMALS) + "f", value);
  }

  private static Unit unit(List<Unit> units, double value) {
    Unit fit = units.getFirst();
    for (Unit unit : units) {
      if (value >= unit.size() * 0.9995) {
        fit = unit;
      }
    }
    return fit;
  }
}
