package dev.gleaner.space;

import dev.gleaner.layout.OffsetVisitor;

/**
 * A part of a heap where elements live, as walks and figures see it; {@link SpaceSet} adds several
 * up. How elements come into it, and what becomes of the dead, differs from space to space.
 */
public interface Space {
  /** What the space is called, for people. */
  default String name() {
    return "elements";
  }

  /** Calls back for each element. */
  void forEach(OffsetVisitor visitor);

  /** Calls back for each element of a kind. */
  void forEach(int kind, OffsetVisitor visitor);

  /** Elements of a kind, garbage not yet found included. */
  long elements(int kind);

  /** Elements allocated since the heap was opened. */
  long allocatedElements();

  /** Bytes of elements allocated since the heap was opened. */
  long allocatedBytes();

  /**
   * Takes back what is granted but not used: figures are exact then, and elements can be walked.
   */
  default void retire() {}

  /**
   * Brings the figures up to date, on the heap's Java thread: for spaces that learn by headers what
   * the heap took of a buffer.
   */
  default void updateFigures() {}
}
