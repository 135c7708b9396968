package dev.gleaner.lab.chart;

/**
 * How large a chart is drawn, in CSS pixels: once for a wide page, once for a page of half a
 * screen, or of paper, once for a phone of 360. So its letters are as large as those around it.
 *
 * @param suffix names the size in classes and ids
 */
public record Size(String suffix, int width, int height) {
  /** As wide as a page gets. */
  public static final Size WIDE = new Size("wide", 1248, 420);

  /** For a page that is not as wide. */
  public static final Size HALF = new Size("half", 860, 360);

  /** For a phone. */
  public static final Size NARROW = new Size("narrow", 328, 300);

  /** Returns this with another height. */
  Size withHeight(int pixels) {
    return new Size(suffix, width, pixels);
  }

  boolean narrow() {
    return width < HALF.width;
  }
}
