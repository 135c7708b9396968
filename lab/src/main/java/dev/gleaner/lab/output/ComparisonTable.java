package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A comparison as a table: a row a collector, with the median run's figures; then what runs failed,
 * and a second table of the workload's own figures, a row each. 120 columns hold it.
 */
public final class ComparisonTable {
  private ComparisonTable() {}

  /** Returns the lines. */
  public static List<String> lines(Comparison comparison) {
    List<String> lines = new ArrayList<>();
    lines.add(heading(comparison));
    lines.add("");
    lines.addAll(table(comparison).lines());
    List<String> extras = extras(comparison);
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

  private static TextTable table(Comparison comparison) {
    List<Column> columns = Column.all(comparison.rows().stream().map(Row::shown).toList());
    TextTable table = new TextTable().column("collector");
    columns.forEach(column -> table.column(column.header()));
    for (Row row : comparison.rows()) {
      List<String> cells = new ArrayList<>();
      cells.add(row.collector() + (row.ok() ? "" : " *"));
      columns.forEach(column -> cells.add(column.cell(row.shown())));
      table.row(cells);
    }
    return table;
  }

  private static List<String> extras(Comparison comparison) {
    Set<String> names = new LinkedHashSet<>();
    for (Row row : comparison.rows()) {
      names.addAll(row.shown().extras().keySet());
    }
    if (names.isEmpty()) {
      return List.of();
    }
    TextTable table = new TextTable().column("");
    comparison.rows().forEach(row -> table.column(row.collector()));
    for (String name : names) {
      List<String> cells = new ArrayList<>();
      cells.add(name.replace('_', ' '));
      for (Row row : comparison.rows()) {
        cells.add(Column.cell(row.shown().extras().get(name), Units::digits));
      }
      table.row(cells);
    }
    return table.lines();
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
