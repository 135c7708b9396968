package dev.gleaner.heap;

import dev.gleaner.layout.Kind;

/** Visits the elements of a heap. */
@FunctionalInterface
public interface ElementVisitor {
  /**
   * Visits an element.
   *
   * @param kind the element's kind
   * @param bytes the bytes of the element, without the blocks that it owns
   */
  void element(Kind kind, long bytes);
}
