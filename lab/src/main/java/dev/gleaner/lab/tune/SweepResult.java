package dev.gleaner.lab.tune;

import dev.gleaner.lab.output.Machine;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sweep that is done.
 *
 * @param workload its name
 * @param parameters all of the workload's
 * @param trials in the order in which they were tried; those that do the same are one
 * @param finals null if there was none
 * @param tradeOff what follows from them
 */
public record SweepResult(
    String collector,
    String version,
    String workload,
    Map<String, String> parameters,
    Machine machine,
    TradeOff.Limits limits,
    List<Trial> trials,
    @Nullable Finals finals,
    TradeOff tradeOff) {

  /** Compares the trials; a final decides. */
  public static SweepResult of(
      String collector,
      String version,
      String workload,
      Map<String, String> parameters,
      Machine machine,
      TradeOff.Limits limits,
      List<Trial> trials,
      @Nullable Finals finals) {
    TradeOff tradeOff = TradeOff.of(trials, limits);
    return new SweepResult(
        collector,
        version,
        workload,
        parameters,
        machine,
        limits,
        List.copyOf(trials),
        finals,
        finals == null ? tradeOff : new TradeOff(tradeOff.front(), finals.recommended()));
  }

  /** Returns what was swept, such as {@code hybrid on gcbench}. */
  public String title() {
    return collector + " on " + workload;
  }

  /** Returns how many settings were tried. */
  public int tried() {
    return trials.stream().mapToInt(trial -> 1 + trial.same().size()).sum();
  }

  /** Returns whether a trial has the settings that are recommended. */
  public boolean isRecommended(Trial trial) {
    Trial recommended = tradeOff.recommended();
    return recommended != null && recommended.tuning().equals(trial.tuning());
  }
}
