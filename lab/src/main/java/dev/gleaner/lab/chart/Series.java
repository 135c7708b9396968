package dev.gleaner.lab.chart;

import java.util.List;

/**
 * Points that belong together.
 *
 * @param points for a line, in the order in which they are joined
 */
public record Series(String name, Style style, List<Point> points) {
  /**
   * One point.
   *
   * @param name what the pointer is told, such as {@code run 2}; may be empty
   */
  public record Point(double x, double y, String name) {
    /** Makes one without a name. */
    public Point(double x, double y) {
      this(x, y, "");
    }
  }

  /** Copies. */
  public Series {
    points = List.copyOf(points);
  }

  double mostX() {
    return points.stream().mapToDouble(Point::x).max().orElse(0);
  }

  double mostY() {
    return points.stream().mapToDouble(Point::y).max().orElse(0);
  }
}
