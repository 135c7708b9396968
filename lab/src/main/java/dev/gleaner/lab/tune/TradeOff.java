package dev.gleaner.lab.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Time against memory: the front of the trials, and one that is recommended. A trial is on the
 * front if no other one is as good in both and better in one.
 *
 * <p>Among those within the limits on memory and pauses, it is the fastest; of those that are
 * slower than that by no more than {@link #NOISE}, which another run may turn around, the one that
 * needs the least memory. Without a limit it is the one with the least product of time and peak:
 * from there, either costs more of the other than it saves.
 *
 * @param front by peak, the least first
 * @param recommended null if no trial is within the limits
 */
public record TradeOff(List<Trial> front, @Nullable Trial recommended) {
  /** Times that differ by less say nothing. */
  static final double NOISE = 0.03;

  /**
   * What must not be exceeded.
   *
   * @param peakBytes null if it does not matter
   * @param pauseSeconds null if it does not matter
   */
  public record Limits(@Nullable Long peakBytes, @Nullable Double pauseSeconds) {
    /** None. */
    public static final Limits NONE = new Limits(null, null);

    /** Returns whether memory and pauses are within these. */
    public boolean keeps(Trial trial) {
      return (peakBytes == null || trial.peakBytes() <= peakBytes)
          && (pauseSeconds == null || trial.longestPause() <= pauseSeconds);
    }
  }

  /** What is to be small: the time within limits, without any the product of time and peak. */
  static double cost(Limits limits, double seconds, double peakBytes) {
    return limits.equals(Limits.NONE) ? seconds * peakBytes : seconds;
  }

  static double cost(Limits limits, Trial trial) {
    return cost(limits, trial.seconds(), trial.peakBytes());
  }

  /** Copies. */
  public TradeOff {
    front = List.copyOf(front);
  }

  /** Compares trials; those that failed count for nothing. */
  public static TradeOff of(List<Trial> trials, Limits limits) {
    List<Trial> ok = trials.stream().filter(Trial::ok).toList();
    return new TradeOff(front(ok), recommended(ok, limits));
  }

  private static List<Trial> front(List<Trial> trials) {
    List<Trial> sorted =
        trials.stream()
            .sorted(
                Comparator.comparingDouble(Trial::peakBytes).thenComparingDouble(Trial::seconds))
            .toList();
    List<Trial> front = new ArrayList<>();
    for (Trial trial : sorted) {
      if (front.isEmpty() || trial.seconds() < front.getLast().seconds()) {
        front.add(trial);
      }
    }
    return front;
  }

  private static @Nullable Trial recommended(List<Trial> trials, Limits limits) {
    if (limits.equals(Limits.NONE)) {
      return trials.stream()
          .min(Comparator.comparingDouble(trial -> trial.seconds() * trial.peakBytes()))
          .orElse(null);
    }
    List<Trial> within = trials.stream().filter(limits::keeps).toList();
    double fastest = within.stream().mapToDouble(Trial::seconds).min().orElse(0);
    return within.stream()
        .filter(trial -> trial.seconds() <= fastest * (1 + NOISE))
        .min(Comparator.comparingDouble(Trial::peakBytes))
        .orElse(null);
  }
}
