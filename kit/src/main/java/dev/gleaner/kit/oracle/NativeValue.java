package dev.gleaner.kit.oracle;

import org.jspecify.annotations.Nullable;

/** What a native element of a random program holds; each is one of its own. */
final class NativeValue {
  private final int number;
  private final boolean callback;
  @Nullable ShadowElement element;
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
