package dev.gleaner.lab.chart;

import dev.gleaner.lab.chart.Series.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Points of which less is better in both directions, with the front of those that no other one
 * beats in both. A series can be joined by a line, such as one collector at several settings.
 *
 * @param joined whether the points of a series are joined in their order
 */
public record ScatterChart(
    String xLabel,
    Quantity xQuantity,
    String yLabel,
    Quantity yQuantity,
    List<Series> series,
    boolean joined)
    implements Chart {
  private static final double LINE_HEIGHT = 14;

  /** Copies the series. */
  public ScatterChart {
    series = List.copyOf(series);
  }

  /** Returns the points that no other point is at most as large as in both directions, by x. */
  public static List<Point> front(List<Point> points) {
    List<Point> sorted =
        points.stream()
            .sorted(Comparator.comparingDouble(Point::x).thenComparingDouble(Point::y))
            .toList();
    List<Point> front = new ArrayList<>();
    for (Point point : sorted) {
      if (front.isEmpty() || point.y() < front.getLast().y()) {
        front.add(point);
      }
    }
    return front;
  }

  @Override
  public boolean lines() {
    return joined;
  }

  @Override
  public void draw(Markup svg, Size size) {
    List<Point> all = series.stream().flatMap(one -> one.points().stream()).toList();
    if (all.isEmpty()) {
      return;
    }
    double leastX = all.stream().mapToDouble(Point::x).min().orElse(0);
    double mostX = all.stream().mapToDouble(Point::x).max().orElse(0);
    double leastY = all.stream().mapToDouble(Point::y).min().orElse(0);
    double mostY = all.stream().mapToDouble(Point::y).max().orElse(0);
    Plot plot =
        new Plot(
            Axis.fitting(xLabel, xQuantity, leastX, mostX),
            Axis.fitting(yLabel, yQuantity, leastY, mostY),
            size);
    plot.frame(svg);
    front(svg, front(all), plot);
    List<double[]> taken = new ArrayList<>();
    for (Point point : all) {
      taken.add(new double[] {plot.x(point.x()) - 6, plot.y(point.y()) + 4, 12});
    }
    for (Series one : series) {
      svg.open("g", "class", one.style().colourClass());
      if (joined && one.points().size() > 1) {
        one.style().line(svg, line(one.points(), plot));
      }
      for (Point point : one.points()) {
        String name = point.name().isEmpty() ? one.name() : one.name() + ", " + point.name();
        String at = xQuantity.text(point.x()) + ", " + yQuantity.text(point.y());
        one.style().mark(svg, plot.x(point.x()), plot.y(point.y()), name + ": " + at);
      }
      svg.close();
      name(svg, one, plot, taken);
    }
  }

  private static void front(Markup svg, List<Point> front, Plot plot) {
    StringBuilder path = new StringBuilder();
    for (Point point : front) {
      double x = plot.x(point.x());
      double y = plot.y(point.y());
      if (path.isEmpty()) {
        path.append(Plot.path(x, plot.y(Double.MAX_VALUE)));
      } else {
        path.append('H').append(Markup.number(x));
      }
      path.append('V').append(Markup.number(y));
    }
    path.append('H').append(Markup.number(plot.right()));
    svg.open("path", "class", "front", "d", path).element("title", "the front").close();
  }

  private static String line(List<Point> points, Plot plot) {
    StringBuilder path = new StringBuilder();
    for (Point point : points) {
      path.append(path.isEmpty() ? 'M' : 'L').append(Markup.number(plot.x(point.x())));
      path.append(' ').append(Markup.number(plot.y(point.y())));
    }
    return path.toString();
  }

  /** Names the last point of a series beside it, above or below names that are there already. */
  private static void name(Markup svg, Series one, Plot plot, List<double[]> taken) {
    if (one.points().isEmpty()) {
      return;
    }
    Point point = one.points().getLast();
    double at = plot.x(point.x());
    boolean toTheLeft = at - plot.left() > plot.right() - at;
    double room = (toTheLeft ? at - plot.left() : plot.right() - at) - 10;
    String name = Plot.shortened(one.name(), room);
    double width = name.length() * Plot.CHARACTER * 1.12;
    double x = at + (toTheLeft ? -10 - width : 10);
    double wanted = plot.y(point.y()) + 4;
    double y = wanted;
    for (int i = 1; overlaps(x, y, width, taken) && i < 24; i++) {
      int halfLines = (i % 2 == 0 ? -1 : 1) * ((i + 1) / 2);
      y = wanted + halfLines * LINE_HEIGHT / 2;
    }
    taken.add(new double[] {x, y, width});
    String anchor = toTheLeft ? "name end" : "name";
    svg.element("text", name, "class", anchor, "x", toTheLeft ? x + width : x, "y", y);
  }

  private static boolean overlaps(double x, double y, double width, List<double[]> taken) {
    return taken.stream()
        .anyMatch(other ->
            x < other[0] + other[2]
                && other[0] < x + width
                && Math.abs(y - other[1]) < LINE_HEIGHT);
  }
}
