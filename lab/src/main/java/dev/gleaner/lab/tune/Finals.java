package dev.gleaner.lab.tune;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PairedRatio;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The finalists of a sweep, run again in turns, and what is recommended.
 *
 * <p>In a sweep each trial has a time of its own, and the machine may be slower in one than in
 * another: of many trials the one that seems best is often the one that was lucky. In turns, run i
 * of one finalist stands beside run i of another, and a {@link PairedRatio} tells a difference from
 * noise. The first turn does not count: the JVM compiles in it.
 *
 * <p>What is recommended costs the least, or no more than that beyond the noise. Of those the
 * settings as they are win, unless others need less memory.
 *
 * @param finalists with the runs of the final
 * @param level those that equal the best, or that are undecided
 * @param recommended null if none is within the limits
 */
public record Finals(List<Trial> finalists, List<Trial> level, @Nullable Trial recommended) {
  /** Of four turns three count, which is the fewest that carry anything. */
  public static final int FEWEST_RUNS = 4;

  private static final int CHOSEN = 3;

  /** Peaks that differ by less are the same. */
  private static final double SAME_PEAK = 1.02;

  /** Copies. */
  public Finals {
    finalists = List.copyOf(finalists);
    level = List.copyOf(level);
  }

  /**
   * Returns who is in the final: the three that cost the least, and the settings as they are. A
   * final of one is none.
   *
   * @param trials those that do the same are one
   */
  public static List<Trial> choose(List<Trial> trials, TradeOff.Limits limits) {
    List<Trial> chosen =
        new ArrayList<>(
            trials.stream()
                .filter(trial -> trial.ok() && limits.keeps(trial))
                .sorted(Comparator.comparingDouble(trial -> TradeOff.cost(limits, trial)))
                .limit(CHOSEN)
                .toList());
    if (!chosen.isEmpty()) {
      trials.stream()
          .filter(trial -> trial.isUnchanged() && trial.ok() && !chosen.contains(trial))
          .forEach(chosen::add);
    }
    return chosen.size() < 2 ? List.of() : chosen;
  }

  /**
   * Decides.
   *
   * @param turns the finalists with a run each turn
   */
  public static Finals of(List<Trial> turns, TradeOff.Limits limits) {
    List<Trial> finalists = turns.stream().map(Finals::withoutTheFirst).toList();
    List<Trial> within =
        finalists.stream().filter(trial -> trial.ok() && limits.keeps(trial)).toList();
    Trial best =
        within.stream()
            .min(Comparator.comparingDouble(trial -> TradeOff.cost(limits, trial)))
            .orElse(null);
    if (best == null) {
      return new Finals(finalists, List.of(), null);
    }
    List<Trial> level = within.stream().filter(t -> !differ(best, t, limits)).toList();
    double least = level.stream().mapToDouble(Trial::peakBytes).min().orElse(0);
    Trial recommended =
        level.stream()
            .filter(trial -> trial.peakBytes() <= least * SAME_PEAK)
            .min(
                Comparator.comparing((Trial trial) -> !trial.isUnchanged())
                    .thenComparingDouble(trial -> TradeOff.cost(limits, trial)))
            .orElse(best);
    return new Finals(finalists, level, recommended);
  }

  private static Trial withoutTheFirst(Trial trial) {
    int first = trial.runs().size() >= FEWEST_RUNS ? 1 : 0;
    return new Trial(
        trial.tuning(), trial.runs().subList(first, trial.runs().size()), trial.same());
  }

  private static boolean differ(Trial a, Trial b, TradeOff.Limits limits) {
    PairedRatio ratio = new PairedRatio();
    for (int i = 0; i < Math.min(a.runs().size(), b.runs().size()); i++) {
      ratio.add(cost(a.runs().get(i), limits), cost(b.runs().get(i), limits));
    }
    PairedRatio.State state = ratio.estimate().state();
    return state == PairedRatio.State.MORE || state == PairedRatio.State.LESS;
  }

  private static double cost(RunResult run, TradeOff.Limits limits) {
    return TradeOff.cost(
        limits,
        run.figures().getOrDefault(Figure.SECONDS, 0.0),
        run.figures().getOrDefault(Figure.PEAK_USED_BYTES, 0.0));
  }

  /** Returns whether the settings as they are do as well as any. */
  public boolean nothingBeyondTheNoise() {
    return recommended != null && recommended.isUnchanged() && level.size() > 1;
  }
}
