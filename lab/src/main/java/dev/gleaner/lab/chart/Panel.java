package dev.gleaner.lab.chart;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A chart with its title, a legend, a sentence that says what it shows, and its data. */
public final class Panel {
  private final String id;
  private final String title;
  private final String sentence;
  private final Chart chart;
  private final List<Key> legend = new ArrayList<>();
  private final @Nullable HtmlTable data;

  private record Key(String name, Style style) {}

  /**
   * Makes one without a legend.
   *
   * @param id unique in the page; letters, digits and hyphens
   * @param sentence what is to be seen, with the figures that matter
   * @param data null where another panel has them
   */
  public Panel(String id, String title, String sentence, Chart chart, @Nullable HtmlTable data) {
    this.id = id;
    this.title = title;
    this.sentence = sentence;
    this.chart = chart;
    this.data = data;
  }

  /** Adds a series to the legend. */
  public Panel key(String name, Style style) {
    legend.add(new Key(name, style));
    return this;
  }

  /** Returns the style sheet that charts need, once a page. */
  public static String css() {
    return resource(Panel.class, "chart.css");
  }

  /** Returns a text that lies beside a class. */
  public static String resource(Class<?> beside, String name) {
    try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes it. */
  public void addTo(Markup html) {
    html.open("figure", "class", "panel", "id", id);
    if (!legend.isEmpty()) {
      html.open("ul", "class", "legend");
      for (Key key : legend) {
        html.open("li").add(key.style.swatch(chart.lines())).text(key.name).close();
      }
      html.close().line();
    }
    draw(html, Size.WIDE);
    draw(html, Size.HALF);
    draw(html, Size.NARROW);
    html.element("figcaption", sentence).line();
    if (data != null) {
      html.open("details").element("summary", "The data of this chart");
      data.addTo(html);
      html.close();
    }
    html.close().line();
  }

  private void draw(Markup html, Size size) {
    Size fit = size.withHeight(chart.height(size));
    String name = id + "-" + size.suffix();
    html.open(
        "svg",
        "class",
        "chart " + size.suffix(),
        "role",
        "img",
        "aria-labelledby",
        name + "-title " + name + "-desc",
        "viewBox",
        "0 0 " + fit.width() + " " + fit.height());
    html.element("title", title, "id", name + "-title");
    html.element("desc", sentence, "id", name + "-desc");
    chart.draw(html, fit);
    html.close().line();
  }
}
