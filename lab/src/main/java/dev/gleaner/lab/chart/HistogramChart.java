package dev.gleaner.lab.chart;

import java.util.Arrays;
import java.util.List;

/**
 * How often which times occur, a strip for each series above one logarithmic axis: bars of counts,
 * each strip to its own scale, the largest count written beside it, and lines at some values.
 */
public final class HistogramChart implements Chart {
  private static final int STRIP = 84;
  private static final int BARS = 44;
  private static final int BOTTOM = 44;
  private static final int SIDE = 14;
  private static final int BINS_PER_DECADE = 10;

  private final List<Strip> strips;
  private final String label;
  private final double[] bounds;

  /**
   * One series.
   *
   * @param note written beside the name
   * @param counts one for each bin
   * @param marks values to draw a line at
   */
  public record Strip(String name, Style style, String note, List<Long> counts, List<Mark> marks) {}

  /** A value, in seconds, with its name; the smaller ones first. */
  public record Mark(double value, String name) {}

  /**
   * Makes one.
   *
   * @param bounds of the bins; see {@link #bounds}
   */
  public HistogramChart(String label, double[] bounds, List<Strip> strips) {
    this.label = label;
    this.bounds = bounds.clone();
    this.strips = List.copyOf(strips);
  }

  /** Returns the bounds of bins, ten a decade, in decades that hold all values between two. */
  public static double[] bounds(double least, double most) {
    int from = (int) Math.floor(Math.log10(Math.max(least, 1e-9)) + 1e-9);
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(Math.max(most, 1e-9)) + 1e-9));
    double[] bounds = new double[(to - from) * BINS_PER_DECADE + 1];
    Arrays.setAll(bounds, i -> Math.pow(10, from + (double) i / BINS_PER_DECADE));
    return bounds;
  }

  @Override
  public int height(Size size) {
    return strips.size() * STRIP + BOTTOM;
  }

  @Override
  public void draw(Markup svg, Size size) {
    Axis axis = Axis.logarithmic(label, Quantity.TIME, bounds[0], bounds[bounds.length - 1]);
    double bottom = strips.size() * STRIP;
    double free = 0;
    for (Axis.Tick tick : axis.ticks()) {
      double x = x(axis, tick.value(), size);
      String grid = Plot.path(x, 0) + "V" + Markup.number(bottom + 4);
      svg.empty("path", "class", "grid", "d", grid);
      double half = tick.text().length() * 3.3;
      double middle = Math.clamp(x, half, size.width() - half);
      if (middle - half >= free) {
        svg.element("text", tick.text(), "class", "middle", "x", middle, "y", bottom + 17);
        free = middle + half + 6;
      }
    }
    String label = axis.label();
    svg.element(
        "text", label, "class", "label end", "x", size.width() - SIDE, "y", bottom + BOTTOM - 8);
    for (int i = 0; i < strips.size(); i++) {
      strip(svg, strips.get(i), axis, i * STRIP, size);
    }
  }

  private void strip(Markup svg, Strip strip, Axis axis, double top, Size size) {
    double bottom = top + STRIP;
    long most = strip.counts().stream().mapToLong(Long::longValue).max().orElse(0);
    svg.open("g", "class", strip.style().colourClass());
    strip.style().mark(svg, SIDE + 6, top + 13);
    for (int i = 0; i < strip.counts().size() && most > 0; i++) {
      long count = strip.counts().get(i);
      if (count > 0) {
        double from = x(axis, bounds[i], size);
        double to = x(axis, bounds[i + 1], size);
        double height = Math.max(1.5, (double) count / most * BARS);
        double width = to - from - 1;
        svg.open("path", "class", "bar", "d", bar(from + 0.5, bottom, Math.max(width, 1), height));
        svg.element("title", title(i, count)).close();
      }
    }
    svg.close();
    double room = size.width() - 2 * SIDE - 30 - strip.note().length() * Plot.CHARACTER;
    String name = Plot.shortened(strip.name(), room);
    svg.element("text", name, "class", "name", "x", SIDE + 16, "y", top + 17);
    svg.element("text", strip.note(), "class", "end", "x", size.width() - SIDE, "y", top + 17);
    String base = Plot.path(SIDE, bottom) + "H" + Markup.number(size.width() - SIDE);
    svg.empty("path", "class", "axis", "d", base);
    double free = 0;
    for (Mark mark : strip.marks()) {
      double x = x(axis, mark.value(), size);
      String line = Plot.path(x, bottom - BARS) + "V" + Markup.number(bottom);
      svg.empty("path", "class", "halo", "d", line);
      svg.open("path", "class", "value", "d", line);
      svg.element("title", mark.name() + ": " + Quantity.TIME.text(mark.value())).close();
      double half = mark.name().length() * 3;
      double middle = Math.clamp(x, SIDE + half, size.width() - SIDE - half);
      if (middle - half > free) {
        svg.element("text", mark.name(), "class", "tiny middle", "x", middle, "y", top + 34);
        free = middle + half + 3;
      }
    }
  }

  private static String bar(double x, double bottom, double width, double height) {
    String up = Plot.path(x, bottom) + "v" + Markup.number(-height);
    return up + "h" + Markup.number(width) + "v" + Markup.number(height) + "z";
  }

  private String title(int bin, long count) {
    return "%d from %s to %s"
        .formatted(count, Quantity.TIME.text(bounds[bin]), Quantity.TIME.text(bounds[bin + 1]));
  }

  private static double x(Axis axis, double value, Size size) {
    return SIDE + axis.at(value) * (size.width() - 2 * SIDE);
  }
}
