package dev.gleaner.heap;

import dev.gleaner.layout.Kind;

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
