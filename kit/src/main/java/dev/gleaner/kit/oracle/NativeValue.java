package dev.gleaner.kit.oracle;

import org.jspecify.annotations.Nullable;

/** What a native element of a random program holds; each is one of its own. */
final class NativeValue {
  /** How a callback uses the heap; all but one leave it to the heap to leave their frames. */
  enum Deed {
    NOTHING,
    ENTERS,
    STAYS,
    ALLOCATES,
    COLLECTS,
    CATCHES
  }

  private final int number;
  private final boolean callback;
  @Nullable ShadowElement element;
  Deed deed = Deed.NOTHING;
  boolean freed;

  /** The operation of the program that a finalizer made it in; or 0. */
  long operation;

  /** What its callback throws. */
  @Nullable Throwable throwing;

  NativeValue(int number, boolean callback) {
    this.number = number;
    this.callback = callback;
  }

  boolean hasCallback() {
    return callback;
  }

  /** What a scenario's on-free callback logs. */
  String label() {
    return "N" + number;
  }

  @Override
  public String toString() {
    return "native value " + number;
  }
}
