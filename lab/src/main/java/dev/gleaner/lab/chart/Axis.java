package dev.gleaner.lab.chart;

import dev.gleaner.lab.output.Units.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One side of a chart: where values lie along it, and which values are labelled.
 *
 * <p>A linear axis starts at 0 and ends at a tick, its ticks are 1, 2 or 5 times a power of ten of
 * one unit apart. A logarithmic axis goes from such a value to another, or from a power of two to
 * another for bytes; its ticks are in the unit that suits each.
 *
 * @param label what it shows, with its unit
 */
record Axis(String label, boolean logarithmic, double low, double high, List<Tick> ticks) {
  private static final int MOST_TICKS = 7;

  /** By how much a step may be less than asked for, so that it is nice. */
  private static final double ROUGHLY = 0.8;

  /** What powers and logarithms may be off by. */
  private static final double NEARLY = 1 - 1e-9;

  /** A labelled value. */
  record Tick(double value, String text) {}

  Axis {
    ticks = List.copyOf(ticks);
  }

  /**
   * Returns an axis from 0.
   *
   * @param most the largest value that it must hold
   * @param steps parts to divide it into, roughly
   * @param toTick whether it ends at a tick, as a vertical axis should
   */
  public static Axis linear(
      String label, Quantity quantity, double most, int steps, boolean toTick) {
    Unit unit = quantity.unit(most);
    double top = most > 0 ? most / unit.size() : 1;
    double step = niceStep(top / steps * ROUGHLY);
    int count = (int) (toTick ? Math.ceil(top / step - 1e-9) : Math.floor(top / step + 1e-9));
    int decimals = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= count; i++) {
      String text = i == 0 ? "0" : String.format(Locale.ROOT, "%." + decimals + "f", i * step);
      ticks.add(new Tick(i * step * unit.size(), text));
    }
    double end = toTick ? count * step : top;
    return new Axis(unit.of(label), false, 0, end * unit.size(), ticks);
  }

  /**
   * Returns a logarithmic axis with all values between two.
   *
   * @param least the smallest value, above 0
   */
  public static Axis logarithmic(String label, Quantity quantity, double least, double most) {
    List<Double> steps = quantity == Quantity.BYTES ? List.of(1.0) : List.of(1.0, 2.0, 5.0);
    double base = quantity == Quantity.BYTES ? 2 : 10;
    double first = Math.floor(Math.log(least) / Math.log(base) - 1e-9);
    List<Double> values = new ArrayList<>();
    for (double power = first; values.isEmpty() || values.getLast() < most * NEARLY; power++) {
      for (double step : steps) {
        double value = step * Math.pow(base, power);
        if (value <= least / NEARLY) {
          values.clear(); // a later start will do
        }
        if (values.size() < 2 || values.getLast() < most * NEARLY) {
          values.add(value);
        }
      }
    }
    double low = values.getFirst();
    double high = values.getLast();
    return new Axis(label + ", logarithmic", true, low, high, ticks(quantity, values));
  }

  /** Labels all values if there are few, else powers of the base, or each so manieth. */
  private static List<Tick> ticks(Quantity quantity, List<Double> values) {
    boolean all = values.size() <= MOST_TICKS;
    int stride = quantity == Quantity.BYTES ? (values.size() + MOST_TICKS - 1) / MOST_TICKS : 1;
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      double power = Math.log10(values.get(i));
      boolean decade = Math.abs(power - Math.rint(power)) < 1e-9;
      if (all || (quantity == Quantity.BYTES ? i % stride == 0 : decade)) {
        ticks.add(tick(quantity, values.get(i)));
      }
    }
    return ticks;
  }

  /**
   * Returns an axis that suits positive values: linear from 0, or logarithmic where the largest is
   * far more than the smallest.
   */
  public static Axis fitting(String label, Quantity quantity, double least, double most) {
    double far = 8;
    return least > 0 && most / least > far
        ? logarithmic(label, quantity, least / 1.1, most * 1.1)
        : linear(label, quantity, most, 4, true);
  }

  private static Tick tick(Quantity quantity, double value) {
    // A power of ten that is not exact must not show.
    return new Tick(value, quantity.text(value * (1 + 1e-9)).replaceFirst("\\.0+\\b", ""));
  }

  /** Returns the nicest step that is not below. */
  private static double niceStep(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (int factor : new int[] {1, 2, 5}) {
      if (factor * power >= least * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  /** Returns where a value lies, from 0 at the low end to 1 at the high one; outside is clamped. */
  double at(double value) {
    double share =
        logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Double.isNaN(share) ? 0 : Math.clamp(share, 0, 1);
  }
}
