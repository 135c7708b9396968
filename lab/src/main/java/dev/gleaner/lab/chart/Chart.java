package dev.gleaner.lab.chart;

/** What can be drawn at any size. */
public sealed interface Chart permits HistogramChart, LineChart, ScatterChart, StripChart {
  /** Returns the height that suits a size, in CSS pixels. */
  default int height(Size size) {
    return size.height();
  }

  /** Returns whether series are lines, rather than marks alone. */
  default boolean lines() {
    return false;
  }

  /** Draws it inside an {@code svg} element of that size. */
  void draw(Markup svg, Size size);
}
