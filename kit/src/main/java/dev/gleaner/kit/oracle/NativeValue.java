package dev.gleaner.kit.oracle;

import org.jspecify.annotations.Nullable;

/** What a native element of a random program holds; each is one of its own. */
final class NativeValue {
  private final int number;
  private final boolean callback;
  @Nullable ShadowElement element;
  boolean freed;

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
