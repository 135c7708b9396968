package dev.gleaner.lab.chart;

/**
 * The frame of a chart: two axes with grid, ticks and labels, and where a value lies in it.
 *
 * <pre>
 *   label of y
 *   30 |--------------------|
 *   20 |--------------------|
 *    0 |____________________|
 *      0    0.2   0.4   0.6    label of x below
 * </pre>
 */
final class Plot {
  private static final int TOP = 26;
  private static final int BOTTOM = 44;
  private static final int RIGHT = 14;

  /** The width of a character, roughly. */
  static final double CHARACTER = 6.6;

  private final Axis x;
  private final Axis y;
  private final Size size;
  private final double left;

  Plot(Axis x, Axis y, Size size) {
    this.x = x;
    this.y = y;
    this.size = size;
    int longest = y.ticks().stream().mapToInt(tick -> tick.text().length()).max().orElse(0);
    this.left = 10 + longest * CHARACTER;
  }

  double x(double value) {
    return left + x.at(value) * (size.width() - RIGHT - left);
  }

  double y(double value) {
    return size.height() - BOTTOM - y.at(value) * (size.height() - BOTTOM - TOP);
  }

  double left() {
    return left;
  }

  double right() {
    return size.width() - RIGHT;
  }

  double bottom() {
    return size.height() - BOTTOM;
  }

  /** Draws all that is no data. */
  void frame(Markup svg) {
    svg.element("text", y.label(), "class", "label", "x", 0, "y", 12);
    for (Axis.Tick tick : y.ticks()) {
      double at = y(tick.value());
      svg.empty("path", "class", "grid", "d", path(left, at) + "H" + Markup.number(right()));
      svg.element("text", tick.text(), "class", "end", "x", left - 6, "y", at + 4);
    }
    double free = Double.NEGATIVE_INFINITY;
    for (Axis.Tick tick : x.ticks()) {
      double at = x(tick.value());
      svg.empty("path", "class", "axis", "d", path(at, bottom()) + "v4");
      double half = tick.text().length() * CHARACTER / 2;
      double middle = Math.min(at, size.width() - half);
      if (middle - half > free) {
        svg.element("text", tick.text(), "class", "middle", "x", middle, "y", bottom() + 17);
        free = middle + half + CHARACTER;
      }
    }
    svg.empty("path", "class", "axis", "d", path(left, bottom()) + "H" + Markup.number(right()));
    svg.element(
        "text", x.label(), "class", "label end", "x", right(), "y", (double) size.height() - 8);
  }

  /** Returns a name that is not wider than that, roughly. */
  static String shortened(String name, double width) {
    int most = Math.max(4, (int) (width / (CHARACTER * 1.12))); // names are bold
    return name.length() <= most ? name : name.substring(0, most - 1) + "…";
  }

  /** Returns a path that starts at a point. */
  static String path(double x, double y) {
    return "M" + Markup.number(x) + " " + Markup.number(y);
  }
}
