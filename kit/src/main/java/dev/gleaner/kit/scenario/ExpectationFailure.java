package dev.gleaner.kit.scenario;

/** An expectation that does not hold. No error of the heap: nothing but the runner catches it. */
final class ExpectationFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;

  ExpectationFailure(int line, String expected, String found) {
    super("expected " + expected + ", found " + found, null, false, false);
    this.line = line;
  }

  int line() {
    return line;
  }
}
