package dev.gleaner.lab.chart;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Writes HTML, and SVG inside of it. Elements are closed in the order in which they must be, and
 * every text and attribute is escaped, whatever it holds.
 */
public final class Markup {
  private final StringBuilder text = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>();

  /**
   * Opens an element.
   *
   * @param attributes names and values in turn; numbers are rounded to a hundredth
   */
  public Markup open(String tag, Object... attributes) {
    start(tag, attributes);
    text.append('>');
    open.push(tag);
    return this;
  }

  /** Closes the element that was opened last. */
  public Markup close() {
    text.append("</").append(open.pop()).append('>');
    return this;
  }

  /** Writes an element without content. */
  public Markup empty(String tag, Object... attributes) {
    start(tag, attributes);
    text.append("/>");
    return this;
  }

  /** Writes an element that holds a text. */
  public Markup element(String tag, String content, Object... attributes) {
    return open(tag, attributes).text(content).close();
  }

  /** Writes a text. */
  public Markup text(String content) {
    escape(content);
    return this;
  }

  /** Writes a line end, for those who read the source. */
  public Markup line() {
    text.append('\n');
    return this;
  }

  /** Writes what another one wrote. */
  public Markup add(Markup other) {
    text.append(other);
    return this;
  }

  /** Writes a style sheet of this program's own, which must not be escaped. */
  public Markup style(String css) {
    text.append("<style>\n").append(css).append("</style>\n");
    return this;
  }

  /**
   * Returns all of it.
   *
   * @throws IllegalStateException if an element is open
   */
  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("not closed: " + open);
    }
    return text.toString();
  }

  private void start(String tag, Object... attributes) {
    text.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      text.append(' ').append(attributes[i]).append("=\"");
      Object value = attributes[i + 1];
      escape(value instanceof Double number ? number(number) : value.toString());
      text.append('"');
    }
  }

  /** Returns a coordinate: at most two decimals. */
  static String number(double value) {
    long hundredths = Math.round(value * 100);
    if (hundredths % 100 == 0) {
      return Long.toString(hundredths / 100);
    }
    String decimals = hundredths % 10 == 0 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, decimals, hundredths / 100.0);
  }

  private void escape(String content) {
    for (int i = 0; i < content.length(); i++) {
      char c = content.charAt(i);
      switch (c) {
        case '&' -> text.append("&amp;");
        case '<' -> text.append("&lt;");
        case '>' -> text.append("&gt;");
        case '"' -> text.append("&quot;");
        case '\'' -> text.append("&#39;");
        case '\n', '\t' -> text.append(c);
        default -> text.append(c < ' ' || c == 0x7f ? '\ufffd' : c);
      }
    }
  }
}
