package dev.gleaner.lab.chart;

import dev.gleaner.spi.CollectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * How a series looks: a colour of the style sheet, a dash pattern and a mark. Neighbours differ in
 * all three, so that a chart can be read without its colours.
 *
 * @param index of the series; from {@link #COLOURS} on colours come again with other marks
 */
public record Style(int index) {
  /** Colours of the style sheet. */
  static final int COLOURS = 8;

  private static final String[] DASHES = {"", "7 3", "2 2.5", "10 3 2 3", "5 2", "1 3", "12 4"};

  /** Paths around 0, of about equal area. */
  private static final String[] MARKS = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", // disc
    "M-3.6 -3.6h7.2v7.2h-7.2z", // square
    "M0 -4.8L4.7 3.5h-9.4z", // triangle
    "M0 -5.2L5.2 0L0 5.2L-5.2 0z", // diamond
    "M0 4.8L4.7 -3.5h-9.4z", // triangle on its point
    "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", // cross
    "M0 -5L4.8 -1.5L2.9 4H-2.9L-4.8 -1.5z", // pentagon
    "M-5 -2.2h10v4.4h-10z", // bar
    "M-5 0L-2 -4.4h4L5 0L2 4.4h-4z" // hexagon
  };

  /** Collectors of the class path: they look the same in every chart, whatever is beside them. */
  private static final List<String> KNOWN =
      ServiceLoader.load(CollectorProvider.class).stream()
          .map(provider -> provider.get().name())
          .sorted()
          .toList();

  /** Returns how series of these names look: what is not known comes behind, in order. */
  public static List<Style> of(List<String> names) {
    List<Style> styles = new ArrayList<>();
    int next = KNOWN.size();
    for (String name : names) {
      int known = KNOWN.indexOf(name);
      styles.add(new Style(known < 0 ? next++ : known));
    }
    return styles;
  }

  String colourClass() {
    return "series-" + index % COLOURS;
  }

  /** Returns the dash pattern, empty for an unbroken line. */
  String dashes() {
    return DASHES[index % DASHES.length];
  }

  /** Draws the mark. */
  void mark(Markup svg, double x, double y) {
    svg.empty("path", "class", "mark", "d", MARKS[index % MARKS.length], "transform", at(x, y));
  }

  /** Draws the mark, with a text for the pointer. */
  void mark(Markup svg, double x, double y, String title) {
    svg.open("path", "class", "mark", "d", MARKS[index % MARKS.length], "transform", at(x, y));
    svg.element("title", title).close();
  }

  private static String at(double x, double y) {
    return "translate(" + Markup.number(x) + " " + Markup.number(y) + ")";
  }

  /** Draws a line in this style. */
  void line(Markup svg, String path) {
    if (dashes().isEmpty()) {
      svg.empty("path", "class", "line", "d", path);
    } else {
      svg.empty("path", "class", "line", "d", path, "stroke-dasharray", dashes());
    }
  }

  /** Returns a small picture of the mark, on its line if it has one, for a legend. */
  Markup swatch(boolean withLine) {
    int width = withLine ? 30 : 12;
    String classes = "swatch " + colourClass();
    Markup svg = new Markup();
    svg.open("svg", "class", classes, "width", width, "height", 14, "aria-hidden", "true");
    if (withLine) {
      line(svg, "M0 7h" + width);
    }
    mark(svg, width / 2.0, 7);
    return svg.close();
  }
}
