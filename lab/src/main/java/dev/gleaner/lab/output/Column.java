package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Units.Unit;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A column of a comparison: what it says of a run.
 *
 * @param name what the figures are
 * @param unit theirs; empty for numbers of things
 * @param broken the name in two lines, for a table of text
 * @param text the figure of a run
 */
public record Column(String name, String unit, String broken, Function<RunResult, String> text) {
  private static final String NONE = "–";
  private static final int FEWEST_PAUSES = 10;
  private static final List<String> LEAST_FIRST =
      List.of(
          "alloc",
          "moved",
          "finalizers",
          "bytes/element",
          "reclaimed",
          "left at end",
          "p50",
          "mutator",
          "collections",
          "pauses",
          "p99",
          "CPU");

  /** Returns all; those of one kind of figure share the unit that suits the largest. */
  public static List<Column> all(List<RunResult> runs) {
    Unit time = Units.time(most(runs, Figure.SECONDS));
    Unit pause = Units.time(most(runs, Figure.PAUSE_SECONDS_MAX));
    Unit peak = Units.size(most(runs, Figure.PEAK_USED_BYTES));
    return List.of(
        column("time", time, Figure.SECONDS),
        column("CPU", time, Figure.CPU_SECONDS),
        new Column("alloc", "MiB/s", "alloc", Column::rate),
        new Column("mutator", "%", "mutator", Column::mutatorShare),
        column("collections", "collec-\ntions", Figure.COLLECTIONS, Units::count),
        column("pauses", pause, Figure.PAUSE_SECONDS_TOTAL),
        percentile("p50", pause, Figure.PAUSE_SECONDS_P50, 50),
        percentile("p99", pause, Figure.PAUSE_SECONDS_P99, 99),
        column("max", pause, Figure.PAUSE_SECONDS_MAX),
        column("peak", peak, Figure.PEAK_USED_BYTES),
        column("bytes/element", "bytes/\nelement", Figure.BYTES_PER_ELEMENT, Units::digits),
        column("reclaimed", "re-\nclaimed", Figure.RECLAIMED_ELEMENTS, Units::count),
        column("moved", "moved", Figure.MOVED_ELEMENTS, Units::count),
        column("finalizers", "final-\nizers", Figure.FINALIZERS_RUN, Units::count),
        column("left at end", "left\nat end", Figure.LIVE_ELEMENTS_AT_END, Units::count));
  }

  /** Returns where columns stand that may be left out, the least telling first. */
  static List<Integer> leastFirst(List<Column> columns) {
    List<String> names = columns.stream().map(Column::name).toList();
    return LEAST_FIRST.stream().map(names::indexOf).toList();
  }

  /** Returns the header in a table of text, the unit below the name. */
  String header() {
    return unit.isEmpty() ? broken : broken + "\n" + unit;
  }

  /** Returns what it says of a run; a dash if there is no such figure. */
  public String cell(RunResult run) {
    return text.apply(run);
  }

  private static Column column(String name, Unit unit, Figure figure) {
    return new Column(name, unit.name(), name, run -> cell(run.figure(figure), unit::text));
  }

  /**
   * Returns whether there are pauses enough for a percentile: so many that one is beyond it, and
   * ten at least.
   */
  public static boolean hasPercentile(long pauses, double percentile) {
    return pauses >= Math.max(FEWEST_PAUSES, Math.round(100 / (100 - percentile)));
  }

  private static Column percentile(String name, Unit unit, Figure figure, double percentile) {
    return new Column(
        name,
        unit.name(),
        name,
        run ->
            hasPercentile(run.recording().pauses().count(), percentile)
                ? cell(run.figure(figure), unit::text)
                : NONE);
  }

  private static Column column(
      String name, String broken, Figure figure, DoubleFunction<String> text) {
    return new Column(name, "", broken, run -> cell(run.figure(figure), text));
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
        : String.format(Locale.ROOT, "%.1f", 100 * Math.max(0, 1 - paused / seconds));
  }

  /** Returns a figure in words, a dash if there is none. */
  public static String cell(@Nullable Double value, DoubleFunction<String> text) {
    return value == null ? NONE : text.apply(value);
  }
}
