package dev.gleaner.lua.machine;

import java.util.function.IntConsumer;

/** The code number that a function of the host has until it is freed. */
final class HostCode {
  private final int number;
  private boolean released;

  HostCode(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  void release(IntConsumer codes) {
    if (!released) {
      released = true;
      codes.accept(number);
    }
  }
}
