package dev.gleaner.kit.scenario;

import java.util.ArrayList;
import java.util.List;

/** The labels of the finalizers that ran, as {@code expect finalized} takes them. */
abstract sealed class FinalizationLog permits ExactLog, TorturedLog {
  private static final int SHOWN = 40;

  /** Labels since the last line that took some. */
  final List<String> since = new ArrayList<>();

  private long calls;

  final void add(String label) {
    since.add(label);
    calls++;
  }

  final long calls() {
    return calls;
  }

  /** Takes what these patterns ask for; false if they do not fit what ran. */
  abstract boolean take(List<Pattern> patterns);

  /** What there was to take. */
  String found() {
    return text(since);
  }

  /** Returns the labels, those in a row as {@code a*3}. */
  static String text(List<String> labels) {
    if (labels.isEmpty()) {
      return "none";
    }
    StringBuilder text = new StringBuilder();
    int runs = 0;
    for (int i = 0, next; i < labels.size(); i = next) {
      String label = labels.get(i);
      for (next = i + 1; next < labels.size() && labels.get(next).equals(label); ) {
        next++;
      }
      if (++runs > SHOWN) {
        return text.append(" … ").append(labels.size()).append(" in all").toString();
      }
      text.append(i == 0 ? "" : " ").append(new Pattern.Label(label, next - i));
    }
    return text.toString();
  }
}
