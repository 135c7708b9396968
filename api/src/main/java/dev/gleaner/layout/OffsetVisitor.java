package dev.gleaner.layout;

/** Told of elements, each by its offset. */
@FunctionalInterface
public interface OffsetVisitor {
  /**
   * Called for an element.
   *
   * @param element its offset
   */
  void visit(long element);
}
