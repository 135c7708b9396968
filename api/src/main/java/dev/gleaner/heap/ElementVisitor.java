package dev.gleaner.heap;

/** Told of an element. */
@FunctionalInterface
public interface ElementVisitor {
  /**
   * Takes note of an element.
   *
   * @param kind its kind
   * @param bytes of the element itself, without what it owns besides
   */
  void element(Kind kind, long bytes);
}
