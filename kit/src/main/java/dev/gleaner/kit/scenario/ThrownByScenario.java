package dev.gleaner.kit.scenario;

import dev.gleaner.refusal.HeapException;

/** What {@code throw} throws. */
final class ThrownByScenario extends HeapException {
  private static final long serialVersionUID = 1L;

  ThrownByScenario(String text) {
    super(text);
  }

  /** Leaves the trace out: it would show the interpreter only, in the heap's log. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
