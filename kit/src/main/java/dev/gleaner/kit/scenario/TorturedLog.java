package dev.gleaner.kit.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rule under torture: labels may have come earlier than their line, never later, and none comes
 * that no line asks for.
 *
 * <p>A line takes its labels from all that came and that no earlier line took; the order is free,
 * because what died at different times may be finalized at different times. A {@code […]} leaves a
 * choice that a later line may depend on, so what is left is a set of possible rests.
 */
final class TorturedLog extends FinalizationLog {
  private Set<Map<String, Integer>> rests = new HashSet<>(Set.of(Map.of()));

  @Override
  boolean take(List<Pattern> patterns) {
    Set<Map<String, Integer>> left = withLatest();
    for (Pattern pattern : patterns) {
      Set<Map<String, Integer>> after = new HashSet<>();
      for (Map<String, Integer> way : pattern.ways()) {
        for (Map<String, Integer> rest : left) {
          Map<String, Integer> smaller = new HashMap<>(rest);
          if (subtract(smaller, way)) {
            after.add(smaller);
          }
        }
      }
      left = after;
    }
    if (left.isEmpty()) {
      return false;
    }
    rests = left;
    since.clear();
    return true;
  }

  private Set<Map<String, Integer>> withLatest() {
    Set<Map<String, Integer>> all = new HashSet<>();
    for (Map<String, Integer> rest : rests) {
      Map<String, Integer> larger = new HashMap<>(rest);
      since.forEach(label -> larger.merge(label, 1, Integer::sum));
      all.add(larger);
    }
    return all;
  }

  private static boolean subtract(Map<String, Integer> from, Map<String, Integer> way) {
    for (Map.Entry<String, Integer> taken : way.entrySet()) {
      int rest = from.getOrDefault(taken.getKey(), 0) - taken.getValue();
      if (rest < 0) {
        return false;
      }
      if (rest == 0) {
        from.remove(taken.getKey());
      } else {
        from.put(taken.getKey(), rest);
      }
    }
    return true;
  }

  /** Whether everything that came before the last line was taken by it or an earlier one. */
  boolean isEmpty() {
    return rests.stream().anyMatch(Map::isEmpty);
  }

  /** What no line took. */
  String rest() {
    return rests.stream().map(TorturedLog::text).findFirst().orElse("none");
  }

  @Override
  String found() {
    return withLatest().stream().map(TorturedLog::text).findFirst().orElse("none");
  }

  private static String text(Map<String, Integer> labels) {
    List<String> all = new ArrayList<>();
    new TreeMap<>(labels).forEach((label, n) -> all.add(new Pattern.Label(label, n).toString()));
    return all.isEmpty() ? "none" : String.join(" ", all);
  }
}
