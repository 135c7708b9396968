package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.RunResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as a table: a row a collector, with the medians of its runs; then what these carry,
 * a second table of the workload's own figures, a row each, and what runs failed.
 */
public final class ComparisonTable {
  /** Beside the columns that a run has: the name, the spread, and the ratio. */
  private static final int EXTRA_COLUMNS = 3;

  /** The columns of a run before the ratio: the time, the spread behind it, and the CPU time. */
  private static final int TIMES = 2;

  private ComparisonTable() {}

  /**
   * Returns the lines.
   *
   * @param width the most characters of a line; columns of the first table that it does not hold
   *     are left out, and named; the second one is parted
   */
  public static List<String> lines(Comparison comparison, int width) {
    return painted(comparison, width).stream().map(Line::text).toList();
  }

  /** Prints the table and what is said below it, with colours if the writer shows them. */
  public static void print(PrintWriter out, Comparison comparison, int width) {
    painted(comparison, width).forEach(line -> line.paint.println(out, line.text));
  }

  private record Line(Paint paint, String text) {}

  private static void add(List<Line> to, Paint paint, List<String> texts) {
    texts.forEach(text -> to.add(new Line(paint, text)));
  }

  private static List<Line> painted(Comparison comparison, int width) {
    List<Line> lines = new ArrayList<>();
    add(lines, Paint.STRONG, Words.wrapped(heading(comparison), width));
    add(lines, Paint.PLAIN, List.of(""));
    List<Column> columns = Column.all(comparison.rows().stream().map(Row::shown).toList());
    TextTable table = table(comparison, columns);
    List<Integer> order = Column.leastFirst(columns);
    int gone = table.fit(width, order.stream().map(ComparisonTable::place).toList()).size();
    ComparisonVerdict judged = ComparisonVerdict.of(comparison);
    List<Row> best = judged.best();
    List<String> texts = table.lines();
    int header = texts.size() - comparison.rows().size();
    add(lines, Paint.STRONG, texts.subList(0, header));
    for (int i = 0; i < comparison.rows().size(); i++) {
      Row row = comparison.rows().get(i);
      Paint paint = !row.ok() ? Paint.BAD : best.contains(row) ? Paint.GOOD : Paint.PLAIN;
      lines.add(new Line(paint, texts.get(header + i)));
    }
    if (gone > 0) {
      List<String> names = order.stream().limit(gone).map(i -> columns.get(i).name()).toList();
      add(lines, Paint.PLAIN, List.of(""));
      String text = "Not shown for want of width: " + Words.and(names) + ".";
      add(lines, Paint.PLAIN, Words.wrapped(text, width));
    }
    String verdict = judged.text();
    if (!verdict.isEmpty()) {
      add(lines, Paint.PLAIN, List.of(""));
      add(lines, Paint.STRONG, Words.wrapped(verdict, Math.min(width, 100)));
    }
    List<String> extras = extras(comparison, width);
    if (!extras.isEmpty()) {
      add(lines, Paint.PLAIN, List.of(""));
      add(lines, Paint.PLAIN, extras);
    }
    List<String> notes = notes(comparison);
    if (!notes.isEmpty()) {
      add(lines, Paint.PLAIN, List.of(""));
      add(lines, Paint.BAD, notes);
    }
    return lines;
  }

  /** Returns where a column of a run stands. */
  private static int place(int column) {
    return column < TIMES ? 2 * column + 1 : column + EXTRA_COLUMNS;
  }

  private static String heading(Comparison comparison) {
    Set<Long> checksums = comparison.checksums();
    return comparison.title()
        + ", "
        + Row.which(comparison.rows())
        + (checksums.size() == 1 ? ", checksum " + checksums.iterator().next() : "");
  }

  private static TextTable table(Comparison comparison, List<Column> columns) {
    ComparisonVerdict verdict = ComparisonVerdict.of(comparison);
    TextTable table = new TextTable().column("collector");
    table.column(columns.getFirst().header()).column("±\n%");
    table.column(columns.get(1).header()).column("times\nfastest");
    columns.stream().skip(TIMES).forEach(column -> table.column(column.header()));
    for (Row row : comparison.rows()) {
      List<String> cells = new ArrayList<>();
      cells.add(row.collector() + (row.ok() ? "" : " *"));
      cells.addAll(cells(columns, row, verdict));
      table.row(cells);
    }
    return table;
  }

  /** Returns the cells of a row: time, spread, CPU time, ratio, and those of the other columns. */
  public static List<String> cells(List<Column> columns, Row row, ComparisonVerdict verdict) {
    RunResult shown = row.shown();
    List<String> cells = new ArrayList<>();
    cells.add(columns.getFirst().cell(shown));
    cells.add(spread(row));
    cells.add(columns.get(1).cell(shown));
    cells.add(times(verdict.timesFastest(row)));
    columns.stream().skip(TIMES).forEach(column -> cells.add(column.cell(shown)));
    return cells;
  }

  /** Returns half the range of the times in percent of the shown one. */
  private static String spread(Row row) {
    Double spread = ComparisonVerdict.spread(row);
    return Column.cell(spread == null ? null : Math.rint(spread * 100), Units::digits);
  }

  /** Returns a ratio of times. */
  private static String times(@Nullable Double ratio) {
    return Column.cell(ratio, factor -> String.format(Locale.ROOT, "%.2f", factor));
  }

  private static List<String> extras(Comparison comparison, int width) {
    Set<String> names = new LinkedHashSet<>();
    for (Row row : comparison.rows()) {
      names.addAll(row.shown().extras().keySet());
    }
    if (names.isEmpty()) {
      return List.of();
    }
    return extras(names, comparison.rows(), width);
  }

  /** Returns a table with a column for each row; or several, one below the other. */
  private static List<String> extras(Set<String> names, List<Row> rows, int width) {
    TextTable table = new TextTable().column("");
    rows.forEach(row -> table.column(row.collector()));
    for (String name : names) {
      List<String> cells = new ArrayList<>();
      cells.add(name.replace('_', ' '));
      for (Row row : rows) {
        cells.add(Column.cell(row.shown().extras().get(name), Units::digits));
      }
      table.row(cells);
    }
    if (rows.size() < 2 || table.width() <= width) {
      return table.lines();
    }
    int half = (rows.size() + 1) / 2;
    List<String> lines = new ArrayList<>(extras(names, rows.subList(0, half), width));
    lines.add("");
    lines.addAll(extras(names, rows.subList(half, rows.size()), width));
    return lines;
  }

  private static List<String> notes(Comparison comparison) {
    List<String> notes = new ArrayList<>();
    for (Row row : comparison.rows()) {
      for (Map.Entry<String, Integer> failure : row.failures().entrySet()) {
        notes.add(
            "* %s: %s (%d of %d runs)"
                .formatted(
                    row.collector(), failure.getKey(), failure.getValue(), row.runs().size()));
      }
    }
    if (comparison.checksums().size() > 1) {
      notes.add("The checksums differ:");
      for (Row row : comparison.rows()) {
        notes.add("  " + row.collector() + ": " + row.shown().checksum());
      }
    }
    return notes;
  }
}
