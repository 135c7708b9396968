package dev.gleaner.space;

import dev.gleaner.memory.AllocationFunctions;

/**
 * Allocation functions behind the gate: each call is one request and one operation of the trigger.
 *
 * <p>An operation that brings the trigger's count below zero, with granted cells counted already,
 * takes those back: so the next allocation meets the gate, and a collection is never late.
 */
public final class GatedFunctions implements AllocationFunctions {
  private final AllocationFunctions inner;
  private final AllocationGate gate;
  private final Budget budget;

  public GatedFunctions(AllocationFunctions inner, AllocationGate gate, Budget budget) {
    this.inner = inner;
    this.gate = gate;
    this.budget = budget;
  }

  private void count() {
    gate.trigger().decrease(1);
    if (gate.trigger().due() && gate.takeGranted()) {
      budget.takeBack();
    }
  }

  @Override
  public long alloc(long bytes) {
    if (bytes == 0 || !gate.admit()) {
      return 0;
    }
    count();
    return inner.alloc(bytes);
  }

  @Override
  public long realloc(long block, long bytes) {
    if (bytes == 0) {
      free(block);
      return 0;
    }
    if (!gate.admit()) {
      return 0;
    }
    count();
    return inner.realloc(block, bytes);
  }

  @Override
  public void free(long block) {
    if (block != 0) {
      count();
      inner.free(block);
    }
  }
}
