package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.Style;
import dev.gleaner.lab.output.Comparison;
import java.util.ArrayList;
import java.util.List;

/**
 * A comparison in a report.
 *
 * @param id starts the ids of all its parts
 * @param contenders every name of the whole report, so that each looks the same in all charts
 */
record Subject(Comparison comparison, String id, List<String> contenders) {
  static List<Subject> of(List<Comparison> comparisons) {
    List<String> contenders =
        comparisons.stream()
            .flatMap(comparison -> comparison.rows().stream())
            .map(row -> row.collector())
            .distinct()
            .toList();
    List<Subject> subjects = new ArrayList<>();
    for (Comparison comparison : comparisons) {
      subjects.add(new Subject(comparison, "w" + (subjects.size() + 1), contenders));
    }
    return subjects;
  }

  Style style(String contender) {
    return Style.of(contenders).get(contenders.indexOf(contender));
  }
}
