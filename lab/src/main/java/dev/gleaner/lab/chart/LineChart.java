package dev.gleaner.lab.chart;

import dev.gleaner.lab.chart.Series.Point;
import java.util.List;

/**
 * Lines over a common horizontal axis, each with some marks: those of different lines are at
 * different places.
 */
public record LineChart(
    String xLabel, Quantity xQuantity, String yLabel, Quantity yQuantity, List<Series> series)
    implements Chart {
  private static final int MARKS = 6;

  /** Both axes start at 0. */
  public LineChart {
    series = List.copyOf(series);
  }

  @Override
  public boolean lines() {
    return true;
  }

  @Override
  public void draw(Markup svg, Size size) {
    double mostX = series.stream().mapToDouble(Series::mostX).max().orElse(0);
    double mostY = series.stream().mapToDouble(Series::mostY).max().orElse(0);
    Plot plot =
        new Plot(
            Axis.linear(xLabel, xQuantity, mostX, size.narrow() ? 4 : 8, false),
            Axis.linear(yLabel, yQuantity, mostY, 5, true),
            size);
    plot.frame(svg);
    for (int i = 0; i < series.size(); i++) {
      Series line = series.get(i);
      svg.open("g", "class", line.style().colourClass());
      svg.element("title", line.name());
      line.style().line(svg, path(line, plot));
      marks(svg, line, plot, (i + 0.5) / series.size());
      svg.close();
    }
  }

  private static String path(Series line, Plot plot) {
    StringBuilder path = new StringBuilder();
    for (Point point : line.points()) {
      path.append(path.isEmpty() ? 'M' : 'L').append(Markup.number(plot.x(point.x())));
      path.append(' ').append(Markup.number(plot.y(point.y())));
    }
    return path.toString();
  }

  /** Marks samples that are evenly spread, and the last one. */
  private static void marks(Markup svg, Series line, Plot plot, double offset) {
    List<Point> points = line.points();
    if (points.isEmpty()) {
      return;
    }
    double end = line.mostX();
    int next = 0;
    for (Point point : points) {
      if (next < MARKS && point.x() >= end * (next + offset) / MARKS) {
        line.style().mark(svg, plot.x(point.x()), plot.y(point.y()));
        next = (int) Math.floor(point.x() / Math.max(end, 1e-12) * MARKS - offset) + 1;
      }
    }
    Point last = points.getLast();
    line.style().mark(svg, plot.x(last.x()), plot.y(last.y()));
  }
}
