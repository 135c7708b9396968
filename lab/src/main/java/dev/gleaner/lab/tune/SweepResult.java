package dev.gleaner.lab.tune;

import dev.gleaner.lab.output.Machine;
import java.util.List;
import java.util.Map;

/**
 * A sweep that is done.
 *
 * @param workload its name
 * @param parameters all of the workload's
 * @param trials in the order in which they were tried
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
    TradeOff tradeOff) {

  /** Compares the trials. */
  public static SweepResult of(
      String collector,
      String version,
      String workload,
      Map<String, String> parameters,
      Machine machine,
      TradeOff.Limits limits,
      List<Trial> trials) {
    return new SweepResult(
        collector,
        version,
        workload,
        parameters,
        machine,
        limits,
        List.copyOf(trials),
        TradeOff.of(trials, limits));
  }

  /** Returns what was swept, such as {@code hybrid on gcbench}. */
  public String title() {
    return collector + " on " + workload;
  }
}
