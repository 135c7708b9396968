package dev.gleaner.space;

/** Told of each dead element of a kind that owns resources, before its memory is free. */
@FunctionalInterface
public interface Releaser {
  void release(int kind, long element);
}
