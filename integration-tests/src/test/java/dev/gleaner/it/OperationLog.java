package dev.gleaner.it;

import java.util.ArrayDeque;

/** The last operations of a random program, for its failure's message. */
final class OperationLog {
  private static final int KEPT = 60;

  private final ArrayDeque<String> tail = new ArrayDeque<>();
  private int count;

  void add(String operation) {
    if (tail.size() == KEPT) {
      tail.removeFirst();
    }
    tail.add(++count + " " + operation);
  }

  @Override
  public String toString() {
    return String.join("\n  ", tail);
  }
}
