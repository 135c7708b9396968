package dev.gleaner.lab.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Points as text, on the same axes as {@link ScatterChart}. */
public final class TextScatter {
  private static final int WIDTH = 60;
  private static final int HEIGHT = 13;

  private final Axis x;
  private final Axis y;
  private final char[][] cells = new char[HEIGHT][WIDTH];

  /** Makes an empty one whose axes hold all values. */
  public TextScatter(
      String labelX,
      Quantity quantityX,
      List<Double> valuesX,
      String labelY,
      Quantity quantityY,
      List<Double> valuesY) {
    x = axis(labelX, quantityX, valuesX);
    y = axis(labelY, quantityY, valuesY);
    for (char[] row : cells) {
      Arrays.fill(row, ' ');
    }
  }

  private static Axis axis(String label, Quantity quantity, List<Double> values) {
    return Axis.fitting(
        label,
        quantity,
        values.stream().mapToDouble(value -> value).min().orElse(0),
        values.stream().mapToDouble(value -> value).max().orElse(0));
  }

  /** Puts a sign at a place, unless one that ranks higher is there. */
  public void put(double valueX, double valueY, char sign, String ranksHigher) {
    int column = cell(x.at(valueX), WIDTH);
    int row = HEIGHT - 1 - cell(y.at(valueY), HEIGHT);
    if (ranksHigher.indexOf(cells[row][column]) < 0) {
      cells[row][column] = sign;
    }
  }

  private static int cell(double share, int cells) {
    return (int) Math.round(share * (cells - 1));
  }

  /** Returns the lines: the vertical axis' label, the points, the horizontal axis. */
  public List<String> lines() {
    String[] labels = new String[HEIGHT];
    Arrays.fill(labels, "");
    y.ticks().forEach(tick -> labels[HEIGHT - 1 - cell(y.at(tick.value()), HEIGHT)] = tick.text());
    int margin = Arrays.stream(labels).mapToInt(String::length).max().orElse(0);
    List<String> lines = new ArrayList<>();
    lines.add(y.label());
    for (int row = 0; row < HEIGHT; row++) {
      String label = labels[row];
      lines.add(
          (" ".repeat(margin - label.length())
                  + label
                  + (label.isEmpty() ? " |" : " +")
                  + new String(cells[row]))
              .stripTrailing());
    }
    char[] ruler = new char[WIDTH];
    Arrays.fill(ruler, '-');
    StringBuilder below = new StringBuilder();
    for (Axis.Tick tick : x.ticks()) {
      int column = cell(x.at(tick.value()), WIDTH);
      ruler[column] = '+';
      int start = Math.min(column, WIDTH + 8 - tick.text().length());
      if (start >= below.length() + (below.isEmpty() ? 0 : 1)) {
        below.append(" ".repeat(start - below.length())).append(tick.text());
      }
    }
    lines.add(" ".repeat(margin + 1) + "+" + new String(ruler));
    lines.add(" ".repeat(margin + 2) + below);
    lines.add(" ".repeat(margin + 2) + x.label());
    return lines;
  }
}
