package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PauseHistogram;
import dev.gleaner.lab.measure.RunResult;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    return counted().stream()
        .map(run -> run.recording().pauses())
        .reduce(PauseHistogram.NONE, PauseHistogram::plus);
  }

  /**
   * Returns the run to show where there is place for one: the median by time of those that count
   * and are ok, the faster one of two; if none is, of those that have a time.
   */
  public RunResult shown() {
    return median(counted());
  }

  /** Returns the median by time as {@link #shown} does, of any runs, at least one. */
  public static RunResult median(List<RunResult> runs) {
    List<RunResult> candidates = runs.stream().filter(RunResult::ok).toList();
    if (candidates.isEmpty()) {
      candidates = runs.stream().filter(run -> run.figures().containsKey(Figure.SECONDS)).toList();
    }
    if (candidates.isEmpty()) {
      return runs.getFirst();
    }
    List<RunResult> sorted =
        candidates.stream()
            .sorted(Comparator.comparing(run -> run.figures().getOrDefault(Figure.SECONDS, 0.0)))
            .toList();
    return sorted.get((sorted.size() - 1) / 2);
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
