package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as a table: a row a collector, with the median run's figures; then what these carry,
 * a second table of the workload's own figures, a row each, and what runs failed.
 */
public final class ComparisonTable {
  /** Before the second of the columns that a run has: name, time, spread, ratio; less one. */
  private static final int EXTRA_COLUMNS = 3;

  private ComparisonTable() {}

  /**
   * Returns the lines.
   *
   * @param width the most characters of a line; columns of the first table that it does not hold
   *     are left out, and named; the second one is parted
   */
  public static List<String> lines(Comparison comparison, int width) {
    List<String> lines = new ArrayList<>();
    lines.addAll(Words.wrapped(heading(comparison), width));
    lines.add("");
    List<Column> columns = Column.all(comparison.rows().stream().map(Row::shown).toList());
    TextTable table = table(comparison, columns);
    List<Integer> gone = table.fit(width, Column.leastFirst(columns, EXTRA_COLUMNS));
    lines.addAll(table.lines());
    if (!gone.isEmpty()) {
      List<String> names = gone.stream().map(i -> columns.get(i - EXTRA_COLUMNS).name()).toList();
      lines.add("");
      lines.addAll(Words.wrapped("Not shown for want of width: " + Words.and(names) + ".", width));
    }
    String verdict = ComparisonVerdict.of(comparison).text();
    if (!verdict.isEmpty()) {
      lines.add("");
      lines.addAll(Words.wrapped(verdict, Math.min(width, 100)));
    }
    List<String> extras = extras(comparison, width);
    if (!extras.isEmpty()) {
      lines.add("");
      lines.addAll(extras);
    }
    List<String> notes = notes(comparison);
    if (!notes.isEmpty()) {
      lines.add("");
      lines.addAll(notes);
    }
    return lines;
  }

  private static String heading(Comparison comparison) {
    int runs = comparison.rows().stream().mapToInt(row -> row.runs().size()).max().orElse(0);
    Set<Long> checksums = comparison.checksums();
    return comparison.title()
        + (runs == 1 ? ", one run" : ", the median of " + runs + " runs")
        + (checksums.size() == 1 ? ", checksum " + checksums.iterator().next() : "");
  }

  private static TextTable table(Comparison comparison, List<Column> columns) {
    ComparisonVerdict verdict = ComparisonVerdict.of(comparison);
    TextTable table = new TextTable().column("collector");
    table.column(columns.getFirst().header()).column("±\n%").column("times\nfastest");
    columns.stream().skip(1).forEach(column -> table.column(column.header()));
    for (Row row : comparison.rows()) {
      List<String> cells = new ArrayList<>();
      cells.add(row.collector() + (row.ok() ? "" : " *"));
      cells.add(columns.getFirst().cell(row.shown()));
      cells.add(spread(row));
      cells.add(times(verdict.timesFastest(row)));
      columns.stream().skip(1).forEach(column -> cells.add(column.cell(row.shown())));
      table.row(cells);
    }
    return table;
  }

  /** Returns half the range of the times in percent of the shown one. */
  public static String spread(Row row) {
    Double spread = ComparisonVerdict.spread(row);
    return Column.cell(spread == null ? null : Math.rint(spread * 100), Units::digits);
  }

  /** Returns a ratio of times. */
  public static String times(@Nullable Double ratio) {
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
