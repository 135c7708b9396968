package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;
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
    TextTable table = table();
    comparison.rows().forEach(row -> table.row(cells(row)));
    lines.addAll(table.lines());
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

  private static TextTable table() {
    return new TextTable()
        .column("collector")
        .column("time")
        .column("alloc\nMiB/s")
        .column("mutator\nshare")
        .column("collec-\ntions")
        .column("pause\ntotal")
        .column("pause\np50")
        .column("pause\np99")
        .column("pause\nmax")
        .column("peak\nused")
        .column("bytes/\nelement")
        .column("reclaimed")
        .column("final-\nizers")
        .column("left at\nend");
  }

  private static List<String> cells(Row row) {
    RunResult run = row.shown();
    Double seconds = run.figure(Figure.SECONDS);
    Double allocated = run.figure(Figure.ALLOCATED_BYTES);
    Double paused = run.figure(Figure.PAUSE_SECONDS_TOTAL);
    Double rate = seconds == null || allocated == null ? null : allocated / seconds / (1 << 20);
    Double share = seconds == null || paused == null ? null : 1 - paused / seconds;
    return List.of(
        row.collector() + (row.ok() ? "" : " *"),
        cell(seconds, Units::seconds),
        cell(rate, Units::digits),
        cell(share, Units::percent),
        cell(run.figure(Figure.COLLECTIONS), Units::count),
        cell(paused, Units::seconds),
        cell(run.figure(Figure.PAUSE_SECONDS_P50), Units::seconds),
        cell(run.figure(Figure.PAUSE_SECONDS_P99), Units::seconds),
        cell(run.figure(Figure.PAUSE_SECONDS_MAX), Units::seconds),
        cell(run.figure(Figure.PEAK_USED_BYTES), Units::bytes),
        cell(run.figure(Figure.BYTES_PER_ELEMENT), Units::digits),
        cell(run.figure(Figure.RECLAIMED_ELEMENTS), Units::count),
        cell(run.figure(Figure.FINALIZERS_RUN), Units::count),
        cell(run.figure(Figure.LIVE_ELEMENTS_AT_END), Units::count));
  }

  private static String cell(@Nullable Double value, DoubleFunction<String> unit) {
    return value == null ? NONE : unit.apply(value);
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
        cells.add(cell(row.shown().extras().get(name), Units::plain));
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
