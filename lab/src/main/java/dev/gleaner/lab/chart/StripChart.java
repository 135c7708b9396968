package dev.gleaner.lab.chart;

import dev.gleaner.lab.chart.Series.Point;
import java.util.List;

/**
 * Lines that would hide each other in one plot: a strip for each, one above the other, all to the
 * scales of both axes.
 *
 * <pre>
 *   * hybrid                     at most 20 MiB
 *   _/\_/\_/\____
 *   * marksweep                  at most 44 MiB
 *   _/|/|/|/|/|/|/|_____
 *   0    0.2   0.4   0.6    label of x below
 * </pre>
 */
public record StripChart(String label, Quantity xQuantity, Quantity yQuantity, List<Series> series)
    implements Chart {
  private static final int STRIP = 76;
  private static final int LINE = 48;
  private static final int BOTTOM = 44;
  private static final int SIDE = 14;

  /** Both axes start at 0. */
  public StripChart {
    series = List.copyOf(series);
  }

  @Override
  public int height(Size size) {
    return series.size() * STRIP + BOTTOM;
  }

  @Override
  public boolean lines() {
    return true;
  }

  @Override
  public void draw(Markup svg, Size size) {
    double mostX = series.stream().mapToDouble(Series::mostX).max().orElse(0);
    double mostY = series.stream().mapToDouble(Series::mostY).max().orElse(0);
    Axis axis = Axis.linear(label, xQuantity, mostX, size.narrow() ? 4 : 8, false);
    double bottom = series.size() * STRIP;
    double free = 0;
    for (Axis.Tick tick : axis.ticks()) {
      double x = x(axis, tick.value(), size);
      String grid = Plot.path(x, 0) + "V" + Markup.number(bottom + 4);
      svg.empty("path", "class", "grid", "d", grid);
      double half = tick.text().length() * Plot.CHARACTER / 2;
      double middle = Math.clamp(x, half, size.width() - half);
      if (middle - half >= free) {
        svg.element("text", tick.text(), "class", "middle", "x", middle, "y", bottom + 17);
        free = middle + half + Plot.CHARACTER;
      }
    }
    double right = size.width() - SIDE;
    svg.element("text", axis.label(), "class", "label end", "x", right, "y", bottom + BOTTOM - 8);
    for (int i = 0; i < series.size(); i++) {
      strip(svg, series.get(i), axis, mostY, i * STRIP, size);
    }
  }

  private void strip(Markup svg, Series line, Axis axis, double mostY, double top, Size size) {
    double bottom = top + STRIP;
    StringBuilder path = new StringBuilder();
    for (Point point : line.points()) {
      path.append(path.isEmpty() ? 'M' : 'L').append(Markup.number(x(axis, point.x(), size)));
      double height = mostY > 0 ? point.y() / mostY * LINE : 0;
      path.append(' ').append(Markup.number(bottom - height));
    }
    svg.open("g", "class", line.style().colourClass());
    line.style().mark(svg, SIDE + 6, top + 13);
    line.style().line(svg, path.toString());
    svg.close();
    String note = "at most " + yQuantity.text(line.mostY());
    double room = size.width() - 2 * SIDE - 30 - note.length() * Plot.CHARACTER;
    String name = Plot.shortened(line.name(), room);
    double right = size.width() - SIDE;
    svg.element("text", name, "class", "name", "x", SIDE + 16, "y", top + 17);
    svg.element("text", note, "class", "end", "x", right, "y", top + 17);
    String base = Plot.path(SIDE, bottom) + "H" + Markup.number(right);
    svg.empty("path", "class", "axis", "d", base);
  }

  private static double x(Axis axis, double value, Size size) {
    return SIDE + axis.at(value) * (size.width() - 2 * SIDE);
  }
}
