package dev.gleaner.lab.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * A table in a container of its own, which scrolls where it is narrower than the table. The first
 * cell of a row is its header; columns of figures are aligned to the right.
 */
public final class HtmlTable {
  private final String caption;
  private final List<Column> columns = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  private record Column(String header, String unit, boolean figures) {}

  /** Makes one without columns. */
  public HtmlTable(String caption) {
    this.caption = caption;
  }

  /** Adds a column of figures; the unit may be empty. */
  public HtmlTable figures(String header, String unit) {
    columns.add(new Column(header, unit, true));
    return this;
  }

  /** Adds a column of text. */
  public HtmlTable texts(String header) {
    columns.add(new Column(header, "", false));
    return this;
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException if it has not a cell for every column
   */
  public HtmlTable row(List<String> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(cells.size() + " cells in " + columns.size() + " columns");
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  /** Writes it. */
  public void addTo(Markup html) {
    html.open("div", "class", "scroll", "role", "region", "tabindex", 0, "aria-label", caption);
    html.open("table").element("caption", caption).open("thead").open("tr");
    for (Column column : columns) {
      html.open("th", "scope", "col", "class", column.figures ? "figures" : "text");
      html.text(column.header);
      if (!column.unit.isEmpty()) {
        html.text(" ").element("span", column.unit, "class", "unit");
      }
      html.close();
    }
    html.close().close().line().open("tbody");
    for (List<String> row : rows) {
      html.open("tr").element("th", row.getFirst(), "scope", "row");
      for (int i = 1; i < row.size(); i++) {
        if (columns.get(i).figures) {
          html.element("td", row.get(i), "class", "figures");
        } else {
          html.open("td", "class", "text").element("div", row.get(i)).close();
        }
      }
      html.close().line();
    }
    html.close().close().close().line();
  }
}
