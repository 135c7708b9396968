package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;

/** Parts of sentences. */
public final class Words {
  private Words() {}

  /** A contender and what was found of it. */
  public record Found(String name, double value) {}

  /** Returns {@code a}, {@code a and b}, {@code a, b and c}. */
  public static String and(List<String> names) {
    int last = names.size() - 1;
    return last < 1
        ? String.join("", names)
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  /** Returns {@code 1 run}, {@code 2 runs}. */
  public static String count(long count, String noun) {
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
  public static String extremes(
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

  /** Returns a text in lines of at most so many characters, parted at spaces. */
  public static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** Returns a text of at most so many characters, at least three: its midst is left out. */
  static String shortened(String text, int most) {
    int length = text.codePointCount(0, text.length());
    if (length <= most) {
      return text;
    }
    int behind = (most - 1) * 2 / 3; // the end of a class name says more
    return text.substring(0, text.offsetByCodePoints(0, most - 1 - behind))
        + "…"
        + text.substring(text.offsetByCodePoints(0, length - behind));
  }
}
