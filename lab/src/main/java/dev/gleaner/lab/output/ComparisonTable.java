package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Units.Unit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as a table: a row a collector, with the median run's figures; then what runs failed,
 * and a second table of the workload's own figures, a row each. 120 columns hold it.
 */
public final class ComparisonTable {
  private static final String NONE = "–";

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

  /** A column: its header and what it says of a run. */
  private record Column(String header, Function<RunResult, String> cell) {}

  /** The columns; those of one kind of figure share the unit that suits the largest. */
  private static List<Column> columns(List<RunResult> runs) {
    Unit time = Units.time(most(runs, Figure.SECONDS));
    Unit pause = Units.time(most(runs, Figure.PAUSE_SECONDS_MAX));
    Unit peak = Units.size(most(runs, Figure.PEAK_USED_BYTES));
    return List.of(
        column("time\n" + time.name(), Figure.SECONDS, time::text),
        new Column("alloc\nMiB/s", ComparisonTable::rate),
        new Column("mutator\n%", ComparisonTable::mutatorShare),
        column("collec-\ntions", Figure.COLLECTIONS, Units::count),
        column("pauses\n" + pause.name(), Figure.PAUSE_SECONDS_TOTAL, pause::text),
        column("p50\n" + pause.name(), Figure.PAUSE_SECONDS_P50, pause::text),
        column("p99\n" + pause.name(), Figure.PAUSE_SECONDS_P99, pause::text),
        column("max\n" + pause.name(), Figure.PAUSE_SECONDS_MAX, pause::text),
        column("peak\n" + peak.name(), Figure.PEAK_USED_BYTES, peak::text),
        column("bytes/\nelement", Figure.BYTES_PER_ELEMENT, Units::digits),
        column("re-\nclaimed", Figure.RECLAIMED_ELEMENTS, Units::count),
        column("moved", Figure.MOVED_ELEMENTS, Units::count),
        column("final-\nizers", Figure.FINALIZERS_RUN, Units::count),
        column("left\nat end", Figure.LIVE_ELEMENTS_AT_END, Units::count));
  }

  private static TextTable table(Comparison comparison) {
    List<Column> columns = columns(comparison.rows().stream().map(Row::shown).toList());
    TextTable table = new TextTable().column("collector");
    columns.forEach(column -> table.column(column.header()));
    for (Row row : comparison.rows()) {
      List<String> cells = new ArrayList<>();
      cells.add(row.collector() + (row.ok() ? "" : " *"));
      columns.forEach(column -> cells.add(column.cell().apply(row.shown())));
      table.row(cells);
    }
    return table;
  }

  private static Column column(String header, Figure figure, DoubleFunction<String> text) {
    return new Column(header, run -> cell(run.figure(figure), text));
  }

  private static double most(List<RunResult> runs, Figure figure) {
    return runs.stream()
        .mapToDouble(run -> run.figures().getOrDefault(figure, 0.0))
        .max()
        .orElse(0);
  }

  private static String rate(RunResult run) {
    Double seconds = run.figure(Figure.SECONDS);
    Double bytes = run.figure(Figure.ALLOCATED_BYTES);
    return seconds == null || bytes == null ? NONE : Units.digits(bytes / seconds / (1 << 20));
  }

  private static String mutatorShare(RunResult run) {
    Double seconds = run.figure(Figure.SECONDS);
    Double paused = run.figure(Figure.PAUSE_SECONDS_TOTAL);
    return seconds == null || paused == null
        ? NONE
        : String.format(Locale.ROOT, "%.1f", 100 * (1 - paused / seconds));
  }

  private static String cell(@Nullable Double value, DoubleFunction<String> text) {
    return value == null ? NONE : text.apply(value);
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
        cells.add(cell(row.shown().extras().get(name), Units::digits));
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
