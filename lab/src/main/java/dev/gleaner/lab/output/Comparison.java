package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.RunResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One workload under several collectors.
 *
 * @param workload its name
 * @param parameters all its parameters
 */
public record Comparison(
    String workload, Map<String, String> parameters, Machine machine, List<Row> rows) {

  /**
   * Returns whether every run came to its end, and all found the same checksum. What leaked under a
   * collector that cannot reclaim cycles is a figure, no failure; so is that a JVM cannot do with
   * the memory of a collector.
   */
  public boolean ok() {
    return rows.stream()
            .filter(row -> !row.isHeld())
            .flatMap(row -> row.runs().stream())
            .allMatch(run -> run.ok() || run.status().equals(RunResult.LEAKED))
        && checksums().size() <= 1;
  }

  /** Returns the checksums that were found: more than one means that a collector lost something. */
  public Set<Long> checksums() {
    return rows.stream()
        .flatMap(row -> row.runs().stream())
        .map(RunResult::checksum)
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the name with the parameters, as {@code --workload} takes it. */
  public String title() {
    return parameters.isEmpty()
        ? workload
        : workload
            + ":"
            + parameters.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
  }
}
