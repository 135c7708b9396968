package dev.gleaner.policy;

import dev.gleaner.heap.AllocationFunctions;

/**
 * Allocation functions behind the gate: each call is one request and one operation of the trigger.
 */
public final class GatedFunctions implements AllocationFunctions {
  private final AllocationFunctions inner;
  private final AllocationGate gate;

  public GatedFunctions(AllocationFunctions inner, AllocationGate gate) {
    this.inner = inner;
    this.gate = gate;
  }

  @Override
  public long alloc(long bytes) {
    if (bytes == 0 || !gate.admit()) {
      return 0;
    }
    gate.trigger().decrease(1);
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
    gate.trigger().decrease(1);
    return inner.realloc(block, bytes);
  }

  @Override
  public void free(long block) {
    if (block != 0) {
      gate.trigger().decrease(1);
      inner.free(block);
    }
  }
}
