package dev.gleaner.space;

import dev.gleaner.memory.AllocationFunctions;

/**
 * Allocation functions behind the gate: each call is one request and one operation of the trigger.
 *
 * <p>An operation that brings the trigger's count below zero, with granted cells counted already,
 * takes those back: so the next allocation meets the gate, and a collection is never late.
 *
 * <p>A call is a critical section: the allocator has many words that belong together.
 */
public final class GatedFunctions implements AllocationFunctions {
  private final AllocationFunctions inner;
  private final AllocationGate gate;
  private final Budget budget;
  private final CriticalSection section;

  public GatedFunctions(
      AllocationFunctions inner, AllocationGate gate, Budget budget, CriticalSection section) {
    this.inner = inner;
    this.gate = gate;
    this.budget = budget;
    this.section = section;
  }

  private void count() {
    gate.trigger().decrease(1);
    if (gate.isDue() && gate.takeGranted()) {
      budget.takeBack();
    }
  }

  @Override
  public long alloc(long bytes) {
    if (bytes == 0 || !gate.admit()) {
      return 0;
    }
    section.enter();
    count();
    long block = inner.alloc(bytes);
    section.leave();
    return block;
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
    section.enter();
    count();
    long moved = inner.realloc(block, bytes);
    section.leave();
    return moved;
  }

  @Override
  public void free(long block) {
    if (block != 0) {
      section.enter();
      if (gate.trigger().countsFrees()) {
        count();
      }
      inner.free(block);
      section.leave();
    }
  }
}
