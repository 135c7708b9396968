package dev.gleaner.kit.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code expect finalized} asks for at one place of the order. */
sealed interface Pattern {

  /**
   * Returns the ways in which this can be met, each a number for every label it takes; within a way
   * the order is free.
   */
  List<Map<String, Integer>> ways();

  /** A label, so many times. */
  record Label(String label, int times) implements Pattern {
    @Override
    public List<Map<String, Integer>> ways() {
      return List.of(times == 0 ? Map.of() : Map.of(label, times));
    }

    @Override
    public String toString() {
      return times == 1 ? label : label + "*" + times;
    }
  }

  /** All of these, in any order. */
  record All(List<Label> labels) implements Pattern {
    @Override
    public List<Map<String, Integer>> ways() {
      Map<String, Integer> all = new HashMap<>();
      labels.forEach(
          each -> each.ways().getFirst().forEach((label, n) -> all.merge(label, n, Integer::sum)));
      return List.of(all);
    }

    @Override
    public String toString() {
      return text("{", labels, "}");
    }
  }

  /** Exactly one of these. */
  record One(List<Label> labels) implements Pattern {
    @Override
    public List<Map<String, Integer>> ways() {
      List<Map<String, Integer>> ways = new ArrayList<>();
      labels.forEach(each -> ways.addAll(each.ways()));
      return ways;
    }

    @Override
    public String toString() {
      return text("[", labels, "]");
    }
  }

  private static String text(String open, List<Label> labels, String close) {
    return labels.stream().map(Label::toString).collect(Collectors.joining(" ", open, close));
  }
}
