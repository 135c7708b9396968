package dev.gleaner.heap;

/** Told that a native element was freed. Runs after the collection; must not use the element. */
@FunctionalInterface
public interface FreeCallback {
  /**
   * Runs. What is thrown, errors included, is logged and counted.
   *
   * @param value the Java object that the element held
   * @param closing whether the heap is closing
   */
  void freed(Object value, boolean closing);
}
