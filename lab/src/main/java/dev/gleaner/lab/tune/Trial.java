package dev.gleaner.lab.tune;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Row;
import java.util.List;
import java.util.Map;

/**
 * Settings, and the runs under them.
 *
 * @param runs at least one
 */
public record Trial(Tuning tuning, List<RunResult> runs) {
  /** Copies. */
  public Trial {
    runs = List.copyOf(runs);
  }

  /** Returns whether every run is ok and has the figures that trials are compared by. */
  public boolean ok() {
    return runs.stream().allMatch(RunResult::ok)
        && shown().figures().containsKey(Figure.SECONDS)
        && shown().figures().containsKey(Figure.PEAK_USED_BYTES);
  }

  /** Returns the run with the median time. */
  public RunResult shown() {
    return new Row("", "", Map.of(), runs).shown();
  }

  /** Returns the median time, in seconds. */
  public double seconds() {
    return figure(Figure.SECONDS);
  }

  /** Returns the most that any run had in use, in bytes. */
  public double peakBytes() {
    return most(Figure.PEAK_USED_BYTES);
  }

  /** Returns the longest pause of all runs, in seconds; 0 if there was none. */
  public double longestPause() {
    return most(Figure.PAUSE_SECONDS_MAX);
  }

  private double figure(Figure figure) {
    return shown().figures().getOrDefault(figure, 0.0);
  }

  private double most(Figure figure) {
    return runs.stream()
        .mapToDouble(run -> run.figures().getOrDefault(figure, 0.0))
        .max()
        .orElse(0);
  }

  /** Returns {@code ok}, or how the first run failed that did. */
  public String status() {
    return runs.stream()
        .map(RunResult::status)
        .filter(status -> !status.equals(RunResult.OK))
        .findFirst()
        .orElse(RunResult.OK);
  }
}
