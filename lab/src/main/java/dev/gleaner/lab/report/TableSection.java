package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Column;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonTable;
import dev.gleaner.lab.output.ComparisonVerdict;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Units;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The figures: the run to show of every contender, the workload's own figures, every run. */
final class TableSection {
  private TableSection() {}

  static void addTo(Markup html, Subject subject) {
    List<Row> rows = subject.comparison().rows();
    html.element("h3", "Figures", "id", subject.id() + "-figures").line();
    shown(subject.comparison()).addTo(html);
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> names.addAll(row.shown().extras().keySet()));
    if (!names.isEmpty()) {
      extras(rows, names).addTo(html);
    }
    html.open("details").element("summary", "Every run");
    every(rows).addTo(html);
    html.close().line();
  }

  private static HtmlTable shown(Comparison comparison) {
    List<Row> rows = comparison.rows();
    ComparisonVerdict verdict = ComparisonVerdict.of(comparison);
    List<Column> columns = Column.all(rows.stream().map(Row::shown).toList());
    HtmlTable table =
        new HtmlTable("Each collector: " + Row.which(rows) + ", and all of their pauses");
    table.texts("collector");
    table.texts("status");
    table.figures(columns.getFirst().name(), columns.getFirst().unit());
    table.figures("±", "%").figures(columns.get(1).name(), columns.get(1).unit());
    table.figures("times fastest", "");
    columns.stream().skip(2).forEach(column -> table.figures(column.name(), column.unit()));
    for (Row row : rows) {
      List<String> cells = new ArrayList<>(List.of(row.collector(), status(row)));
      cells.addAll(ComparisonTable.cells(columns, row, verdict));
      table.row(cells);
    }
    return table;
  }

  private static String status(Row row) {
    return row.ok()
        ? RunResult.OK
        : row.failures().entrySet().stream()
            .map(e -> "%s (%d of %d)".formatted(e.getKey(), e.getValue(), row.runs().size()))
            .collect(Collectors.joining("; "));
  }

  private static HtmlTable extras(List<Row> rows, Set<String> names) {
    HtmlTable table = new HtmlTable("The workload's own figures").texts("figure");
    rows.forEach(row -> table.figures(row.collector(), ""));
    for (String name : names) {
      List<String> cells = new ArrayList<>(List.of(name.replace('_', ' ')));
      rows.forEach(row -> cells.add(Column.cell(row.shown().extras().get(name), Units::digits)));
      table.row(cells);
    }
    return table;
  }

  private static HtmlTable every(List<Row> rows) {
    List<RunResult> all = rows.stream().flatMap(row -> row.runs().stream()).toList();
    List<Column> columns = Column.all(all);
    HtmlTable table = new HtmlTable("Every run").texts("collector").figures("run", "");
    columns.forEach(column -> table.figures(column.name(), column.unit()));
    table.figures("checksum", "").texts("status");
    for (Row row : rows) {
      for (int i = 0; i < row.runs().size(); i++) {
        RunResult run = row.runs().get(i);
        List<String> cells = new ArrayList<>(List.of(row.collector(), Integer.toString(i + 1)));
        columns.forEach(column -> cells.add(column.cell(run)));
        cells.add(run.checksum() == null ? "–" : run.checksum().toString());
        cells.add(run.status());
        table.row(cells);
      }
    }
    return table;
  }
}
