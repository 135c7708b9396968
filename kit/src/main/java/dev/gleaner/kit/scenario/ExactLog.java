package dev.gleaner.kit.scenario;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Exactly these, in this order.
 *
 * <p>The alternatives of a {@code […]} can be of different lengths, so each pattern leads from a
 * set of positions in the log to another; the last one must be the end.
 */
final class ExactLog extends FinalizationLog {

  @Override
  boolean take(List<Pattern> patterns) {
    TreeSet<Integer> positions = new TreeSet<>(List.of(0));
    for (Pattern pattern : patterns) {
      TreeSet<Integer> after = new TreeSet<>();
      for (Map<String, Integer> way : pattern.ways()) {
        for (int at : positions) {
          int end = end(at, way);
          if (end >= 0) {
            after.add(end);
          }
        }
      }
      positions = after;
    }
    boolean fits = positions.contains(since.size());
    if (fits) {
      since.clear();
    }
    return fits;
  }

  /**
   * Where these labels end that begin at a position, in any order; -1 if they do not stand there.
   */
  private int end(int at, Map<String, Integer> way) {
    long n = way.values().stream().mapToLong(Integer::longValue).sum();
    if (n > since.size() - at) {
      return -1;
    }
    int end = at + (int) n;
    Map<String, Integer> found = new HashMap<>();
    since.subList(at, end).forEach(label -> found.merge(label, 1, Integer::sum));
    return found.equals(way) ? end : -1;
  }
}
