package dev.gleaner.lab.chart;

import dev.gleaner.lab.output.Units.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One side of a chart: where values lie along it, and which values are labelled.
 *
 * <p>A linear axis starts at 0 and ends at a tick, its ticks are 1, 2 or 5 times a power of ten of
 * one unit apart. A logarithmic axis has its ticks at powers of ten, or of two for bytes, each in
 * the unit that suits it; over less than two decades 2 and 5 times those as well.
 */
public final class Axis {
  /** A labelled value. */
  record Tick(double value, String text) {}

  private final String label;
  private final boolean logarithmic;
  private final double low;
  private final double high;
  private final List<Tick> ticks;

  private Axis(String label, boolean logarithmic, double low, double high, List<Tick> ticks) {
    this.label = label;
    this.logarithmic = logarithmic;
    this.low = low;
    this.high = high;
    this.ticks = List.copyOf(ticks);
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
    double step = niceStep(top / steps);
    int count = (int) (toTick ? Math.ceil(top / step - 1e-9) : Math.floor(top / step + 1e-9));
    int decimals = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= count; i++) {
      String text = i == 0 ? "0" : String.format(Locale.ROOT, "%." + decimals + "f", i * step);
      ticks.add(new Tick(i * step * unit.size(), text));
    }
    double end = toTick ? count * step : top;
    return new Axis(label + ", " + unit.name(), false, 0, end * unit.size(), ticks);
  }

  /**
   * Returns a logarithmic axis from a power of the base to another, with all values between.
   *
   * @param least the smallest value, above 0
   */
  public static Axis logarithmic(String label, Quantity quantity, double least, double most) {
    double base = quantity == Quantity.BYTES ? 2 : 10;
    int from = (int) Math.floor(Math.log(least) / Math.log(base) + 1e-9);
    int to = (int) Math.ceil(Math.log(most) / Math.log(base) - 1e-9);
    to = Math.max(to, from + 1);
    int stride = base == 2 ? Math.max(1, (to - from + 4) / 5) : 1;
    List<Tick> ticks = new ArrayList<>();
    for (int power = from; power <= to; power++) {
      double value = Math.pow(base, power);
      boolean labelled = (power - from) % stride == 0;
      if (labelled) {
        ticks.add(tick(quantity, value));
      }
      if (base == 10 && to - from <= 2 && power < to) {
        ticks.add(tick(quantity, 2 * value));
        ticks.add(tick(quantity, 5 * value));
      }
    }
    double low = Math.pow(base, from);
    return new Axis(label + ", logarithmic", true, low, Math.pow(base, to), ticks);
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
    return new Tick(value, quantity.text(value));
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

  /** Returns what it shows, with its unit. */
  String label() {
    return label;
  }

  List<Tick> ticks() {
    return ticks;
  }

  double low() {
    return low;
  }

  double high() {
    return high;
  }

  boolean logarithmic() {
    return logarithmic;
  }

  /** Returns where a value lies, from 0 at the low end to 1 at the high one; outside is clamped. */
  double at(double value) {
    double share =
        logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Double.isNaN(share) ? 0 : Math.clamp(share, 0, 1);
  }
}
