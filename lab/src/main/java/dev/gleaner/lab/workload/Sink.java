package dev.gleaner.lab.workload;

import org.jspecify.annotations.Nullable;

/** Where baselines put an object, so that the JIT compiler cannot do without allocating it. */
final class Sink {
  static @Nullable Object value;

  private Sink() {}
}
