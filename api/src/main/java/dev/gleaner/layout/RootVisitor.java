package dev.gleaner.layout;

/** Told of a root. */
@FunctionalInterface
public interface RootVisitor {
  /**
   * Visits a root.
   *
   * @param value a tagged value; references are to be marked, or moved
   * @return what the root holds from now on: the same value, unless its element moved
   */
  long visit(long value);
}
