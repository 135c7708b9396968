package dev.gleaner.kit.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The labels of the finalizers and on-free callbacks that were called. */
final class CallLog {
  private final boolean recording;
  private final List<List<String>> groups = new ArrayList<>();

  CallLog(boolean recording) {
    this.recording = recording;
  }

  void add(String label) {
    addInAnyOrder(List.of(label));
  }

  /** Adds labels whose order is not known. */
  void addInAnyOrder(List<String> labels) {
    if (recording && !labels.isEmpty()) {
      groups.add(List.copyOf(labels));
    }
  }

  /** Begins anew. */
  void clear() {
    groups.clear();
  }

  /** The labels as patterns of the scenario language, each preceded by a space. */
  String inOrder() {
    return groups.stream()
        .map(g -> g.size() == 1 ? " " + g.getFirst() : " {" + String.join(" ", g) + "}")
        .collect(Collectors.joining());
  }

  /** The labels as one pattern of any order. */
  String inAnyOrder() {
    TreeMap<String, Integer> counts = new TreeMap<>();
    groups.forEach(g -> g.forEach(label -> counts.merge(label, 1, Integer::sum)));
    if (counts.isEmpty()) {
      return "";
    }
    return counts.entrySet().stream()
        .map(e -> e.getValue() == 1 ? e.getKey() : e.getKey() + "*" + e.getValue())
        .collect(Collectors.joining(" ", " {", "}"));
  }
}
