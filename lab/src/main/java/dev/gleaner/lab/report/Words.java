package dev.gleaner.lab.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;

/** Parts of sentences. */
final class Words {
  private Words() {}

  /** A contender and what was found of it. */
  record Found(String name, double value) {}

  /** Returns {@code a}, {@code a and b}, {@code a, b and c}. */
  static String and(List<String> names) {
    int last = names.size() - 1;
    return last < 1
        ? String.join("", names)
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  /** Returns {@code 1 run}, {@code 2 runs}. */
  static String count(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /**
   * Says who has the most and who the least; one sentence without its end: {@code semispace peaked
   * at 32 MiB, the most; hybrid and refcount at 20 MiB, the least}.
   *
   * @param found at least one
   * @param verb between a name and its value
   * @param preposition before the second value
   */
  static String extremes(
      List<Found> found,
      String verb,
      String preposition,
      String most,
      String least,
      DoubleFunction<String> text) {
    List<Found> sorted = new ArrayList<>(found);
    sorted.sort(Comparator.comparingDouble(Found::value).reversed());
    String highest = text.apply(sorted.getFirst().value());
    String lowest = text.apply(sorted.getLast().value());
    if (found.size() == 1) {
      return sorted.getFirst().name() + " " + verb + " " + highest;
    }
    String first = named(sorted, highest, text) + " " + verb + " " + highest;
    return highest.equals(lowest)
        ? first + ", all of them"
        : "%s, %s; %s %s %s, %s"
            .formatted(first, most, named(sorted, lowest, text), preposition, lowest, least);
  }

  private static String named(List<Found> found, String value, DoubleFunction<String> text) {
    return and(
        found.stream()
            .filter(one -> text.apply(one.value()).equals(value))
            .map(Found::name)
            .toList());
  }
}
