package dev.gleaner.lab.chart;

/**
 * How large a chart is drawn, in CSS pixels: once for a page, once for a phone of 360.
 *
 * @param suffix names the size in classes and ids
 */
public record Size(String suffix, int width, int height) {
  /** For a page. */
  public static final Size WIDE = new Size("wide", 860, 360);

  /** For a phone. */
  public static final Size NARROW = new Size("narrow", 328, 300);

  /** Returns this with another height. */
  Size withHeight(int pixels) {
    return new Size(suffix, width, pixels);
  }

  boolean narrow() {
    return width < WIDE.width;
  }
}
