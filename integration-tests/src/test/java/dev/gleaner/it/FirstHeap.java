package dev.gleaner.it;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;

/** Runs in a JVM of its own: opens a heap as a program does that has one, and uses it. */
final class FirstHeap {
  private FirstHeap() {}

  public static void main(String[] arguments) {
    try (Heap heap = Gleaner.factory(ConfigFactory.load()).open()) {
      heap.mutator().enter(1);
      heap.mutator().newRecord(0, 1);
      heap.mutator().leave();
    }
  }
}
