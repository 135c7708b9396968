package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.ChartData;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PauseHistogram;
import dev.gleaner.lab.measure.RunResult;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One collector's runs of a workload.
 *
 * @param settings all settings that were in force, as objects, lists, texts, numbers and booleans
 * @param inForce the same settings, one by one, with their defaults
 * @param runs at least one, in their order
 */
public record Row(
    String collector,
    String version,
    Map<String, Object> settings,
    List<Setting> inForce,
    List<RunResult> runs) {

  private static final String JVM = "jvm";
  private static final int RUNS_WITH_A_FIRST = 4;

  /** Checks and copies. */
  public Row {
    if (runs.isEmpty()) {
      throw new IllegalArgumentException("no runs");
    }
    inForce = List.copyOf(inForce);
    runs = List.copyOf(runs);
  }

  /** Makes one that does not know the defaults. */
  public Row(String collector, String version, Map<String, Object> settings, List<RunResult> runs) {
    this(collector, version, settings, List.of(), runs);
  }

  /** Returns whether this is no collector, but plain Java objects. */
  public boolean isBaseline() {
    return collector.equals(JVM) || isHeld();
  }

  /** Returns whether this is the baseline held to the memory of a collector. */
  public boolean isHeld() {
    return collector.startsWith(JVM + " ");
  }

  /** Returns the runs that count: without the first, in which the JVM compiles, of four or more. */
  public List<RunResult> counted() {
    return runs.subList(runs.size() >= RUNS_WITH_A_FIRST ? 1 : 0, runs.size());
  }

  /** Returns the pauses of all runs that count together. */
  public PauseHistogram pauses() {
    return pauses(counted());
  }

  private static PauseHistogram pauses(List<RunResult> runs) {
    return runs.stream()
        .map(run -> run.recording().pauses())
        .reduce(PauseHistogram.NONE, PauseHistogram::plus);
  }

  /**
   * Returns what to show where there is place for one run. Every figure is of the same runs, those
   * that count and are ok; if none is, of those that have a time. It is their median, the lower one
   * of two, but for the longest pause and the percentiles, which are those of all pauses together.
   * What was recorded over time is that of the run with the median time.
   */
  public RunResult shown() {
    List<RunResult> told = told(counted());
    RunResult median = median(counted());
    if (told.size() < 2) {
      return median;
    }
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      put(figures, figure, median(told, run -> run.figure(figure)));
    }
    PauseHistogram pauses = pauses(told);
    if (pauses.count() > 0) {
      figures.put(Figure.PAUSE_SECONDS_P50, pauses.percentileSeconds(50));
      figures.put(Figure.PAUSE_SECONDS_P99, pauses.percentileSeconds(99));
    }
    told.stream()
        .map(run -> run.figure(Figure.PAUSE_SECONDS_MAX))
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .ifPresent(most -> figures.put(Figure.PAUSE_SECONDS_MAX, most));
    Map<String, Double> extras = new LinkedHashMap<>();
    for (String name : median.extras().keySet()) {
      put(extras, name, median(told, run -> run.extras().get(name)));
    }
    ChartData recording = new ChartData(median.recording().memory(), pauses);
    return new RunResult(median.status(), median.checksum(), figures, extras, recording);
  }

  private static <K> void put(Map<K, Double> map, K key, @Nullable Double value) {
    if (value != null) {
      map.put(key, value);
    }
  }

  private static @Nullable Double median(
      List<RunResult> runs, Function<RunResult, @Nullable Double> figure) {
    List<Double> values = runs.stream().map(figure).filter(Objects::nonNull).sorted().toList();
    return values.isEmpty() ? null : values.get((values.size() - 1) / 2);
  }

  /** Returns those that are ok; if none is, those that have a time. */
  private static List<RunResult> told(List<RunResult> runs) {
    List<RunResult> ok = runs.stream().filter(RunResult::ok).toList();
    return ok.isEmpty()
        ? runs.stream().filter(run -> run.figures().containsKey(Figure.SECONDS)).toList()
        : ok;
  }

  /**
   * Returns the median by time of those that are ok, the faster one of two; if none is, of those
   * that have a time.
   *
   * @param runs at least one
   */
  public static RunResult median(List<RunResult> runs) {
    List<RunResult> candidates = told(runs);
    if (candidates.isEmpty()) {
      return runs.getFirst();
    }
    List<RunResult> sorted =
        candidates.stream()
            .sorted(Comparator.comparing(run -> run.figures().getOrDefault(Figure.SECONDS, 0.0)))
            .toList();
    return sorted.get((sorted.size() - 1) / 2);
  }

  /** Returns which runs the figures are of, such as {@code medians of runs 2 to 5}. */
  public static String which(List<Row> rows) {
    Row longest = Collections.max(rows, Comparator.comparingInt(row -> row.runs().size()));
    int all = longest.runs().size();
    int first = all - longest.counted().size() + 1;
    return all == 1
        ? "one run"
        : first == 1 ? "medians of " + all + " runs" : "medians of runs " + first + " to " + all;
  }

  /** Returns whether every run is ok. */
  public boolean ok() {
    return runs.stream().allMatch(RunResult::ok);
  }

  /** Returns every status but ok with the number of runs that ended so. */
  public Map<String, Integer> failures() {
    Map<String, Integer> failures = new LinkedHashMap<>();
    for (RunResult run : runs) {
      if (!run.ok()) {
        failures.merge(run.status(), 1, Integer::sum);
      }
    }
    return failures;
  }
}
