package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFailures;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.trace.Traced;
import org.jspecify.annotations.Nullable;

/** Faults that a test arranges in a heap: refused allocation requests. */
public sealed class HeapFaults permits RecordingFaults {
  private final HeapCore core;
  private final Registers registers;
  private final HeapParts context;

  HeapFaults(HeapCore core) {
    this.core = core;
    this.registers = core.registers();
    this.context = core.context();
  }

  /**
   * Refuses allocation requests, for tests. The first {@code after} requests are served, and the
   * next {@code times} requests are refused.
   *
   * @param after the number of requests that are served first
   * @param times the number of requests that are refused then
   */
  @Traced(code = 129, operands = "long after, long times")
  public void failAllocations(long after, long times) {
    registers.check();
    if (after < 0 || times < 0) {
      throw new HeapUsageException("negative number: " + Math.min(after, times));
    }
    try {
      core.driver().retire();
      context.gate().failAllocations(after, times);
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /** {@return the rest of the arranged failures; null if no failures are arranged} */
  public @Nullable AllocationFailures allocationFailures() {
    registers.check();
    return context.gate().failures();
  }

  /** Ends {@link #failAllocations}. */
  @Traced(code = 130)
  public void clearFailAllocations() {
    registers.check();
    context.gate().clearFailures();
  }

  /** {@return a text with the name of the heap, for any Java thread} */
  @Override
  public String toString() {
    return "faults of " + core.owner();
  }
}
