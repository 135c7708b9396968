package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Aligned columns two spaces apart, each as wide as its widest cell: the first to the left, others
 * to the right unless asked for. A header may have several lines; its words stand at the bottom.
 */
final class TextTable {
  private static final String GAP = "  ";
  private static final int LEAST_NAME = 12;

  private final List<String[]> headers = new ArrayList<>();
  private final List<Boolean> left = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();
  private final Set<Integer> hidden = new HashSet<>();

  /** Adds a column; {@code \n} parts the lines of its header. */
  TextTable column(String header) {
    return column(header, headers.isEmpty());
  }

  /** Adds a column of text that is aligned to the left. */
  TextTable textColumn(String header) {
    return column(header, true);
  }

  private TextTable column(String header, boolean toTheLeft) {
    headers.add(header.split("\n", -1));
    left.add(toTheLeft);
    return this;
  }

  /** Adds a row with a cell for every column; see {@link Printable#line}. */
  void row(List<String> cells) {
    if (cells.size() != headers.size()) {
      throw new IllegalArgumentException(cells.size() + " cells in " + headers.size() + " columns");
    }
    rows.add(cells.stream().map(Printable::line).toList());
  }

  /**
   * Leaves out columns until a width holds the others.
   *
   * @param order indexes of the columns that may go, in the order in which they do
   * @return the indexes of those that went
   */
  List<Integer> fit(int width, List<Integer> order) {
    List<Integer> gone = new ArrayList<>();
    for (int column : order) {
      if (width() <= width) {
        break;
      }
      gone.add(column);
      hidden.add(column);
    }
    return gone;
  }

  /** Shortens the cells of a column in their midst until a width holds the table. */
  void shorten(int column, int width) {
    int over = width() - width;
    if (over > 0) {
      int widest = rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0);
      int most = Math.max(widest - over, LEAST_NAME);
      rows.replaceAll(row -> {
        List<String> cells = new ArrayList<>(row);
        cells.set(column, Words.shortened(row.get(column), most));
        return cells;
      });
    }
  }

  /** Returns the width of the widest line. */
  int width() {
    return lines().stream().mapToInt(TextTable::width).max().orElse(0);
  }

  /** Returns the lines, without spaces at their ends. */
  List<String> lines() {
    int height = headers.stream().mapToInt(header -> header.length).max().orElse(0);
    List<List<String>> all = new ArrayList<>();
    for (int line = 0; line < height; line++) {
      List<String> cells = new ArrayList<>();
      for (String[] header : headers) {
        int at = line - (height - header.length);
        cells.add(at < 0 ? "" : header[at]);
      }
      all.add(cells);
    }
    all.addAll(rows);
    int[] widths = new int[headers.size()];
    for (List<String> cells : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(cells.get(i)));
      }
    }
    return all.stream().map(cells -> line(cells, widths)).toList();
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (hidden.contains(i)) {
        continue;
      }
      String cell = cells.get(i);
      String space = " ".repeat(widths[i] - width(cell));
      line.append(i == 0 ? "" : GAP).append(left.get(i) ? cell + space : space + cell);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
