package dev.gleaner.lab.tune;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings, and the runs under them.
 *
 * @param runs at least one; where several settings do the same, those of all
 * @param same the other settings that do the same
 */
public record Trial(Tuning tuning, List<RunResult> runs, List<Tuning> same) {
  private static final List<Figure> DEEDS =
      List.of(
          Figure.COLLECTIONS,
          Figure.PEAK_USED_BYTES,
          Figure.RECLAIMED_ELEMENTS,
          Figure.MOVED_ELEMENTS);

  /** Copies. */
  public Trial {
    runs = List.copyOf(runs);
    same = List.copyOf(same);
  }

  /** Makes one of settings that no others are known to do the same as. */
  public Trial(Tuning tuning, List<RunResult> runs) {
    this(tuning, runs, List.of());
  }

  /**
   * Makes those one that do the same: as many collections in every run, the same peak, as much
   * reclaimed and moved. The first stands for them, and the runs of all count for it.
   */
  public static List<Trial> distinct(List<Trial> trials) {
    List<Trial> distinct = new ArrayList<>();
    for (Trial trial : trials) {
      int at = 0;
      while (at < distinct.size() && !distinct.get(at).doesTheSameAs(trial)) {
        at++;
      }
      if (at == distinct.size()) {
        distinct.add(trial);
      } else {
        distinct.set(at, distinct.get(at).with(trial));
      }
    }
    return distinct;
  }

  private boolean doesTheSameAs(Trial other) {
    return ok()
        && other.ok()
        && Stream.concat(runs.stream(), other.runs.stream()).map(Trial::deeds).distinct().count()
            == 1;
  }

  private static List<Optional<Double>> deeds(RunResult run) {
    return DEEDS.stream().map(figure -> Optional.ofNullable(run.figure(figure))).toList();
  }

  private Trial with(Trial other) {
    return new Trial(
        tuning,
        Stream.concat(runs.stream(), other.runs.stream()).toList(),
        Stream.concat(same.stream(), Stream.of(other.tuning)).toList());
  }

  /** Returns whether these are the settings as they are. */
  public boolean isUnchanged() {
    return tuning.equals(Tuning.UNCHANGED);
  }

  /** Returns whether every run is ok and has the figures that trials are compared by. */
  public boolean ok() {
    return runs.stream().allMatch(RunResult::ok)
        && shown().figures().containsKey(Figure.SECONDS)
        && shown().figures().containsKey(Figure.PEAK_USED_BYTES);
  }

  /** Returns the run with the median time. */
  public RunResult shown() {
    return Row.median(runs);
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

  /** Returns the peak for a table; null if no run has one. */
  public @Nullable Double mostPeak() {
    return has(Figure.PEAK_USED_BYTES) ? peakBytes() : null;
  }

  /** Returns the longest pause for a table; null if no run has one. */
  public @Nullable Double mostPause() {
    return has(Figure.PAUSE_SECONDS_MAX) ? longestPause() : null;
  }

  private boolean has(Figure figure) {
    return runs.stream().anyMatch(run -> run.figure(figure) != null);
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
