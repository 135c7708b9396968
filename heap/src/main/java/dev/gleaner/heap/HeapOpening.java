package dev.gleaner.heap;

import dev.gleaner.parts.HeapPlan;
import dev.gleaner.trace.TraceSink;

/** Opens heaps: with a trace of the operations or without. */
final class HeapOpening {
  static {
    HeapPlan.openBy(HeapOpening::open);
  }

  private HeapOpening() {}

  private static Heap open(HeapPlan plan) {
    TraceSink trace = plan.trace();
    Heap heap =
        trace == null
            ? new Heap(plan, new Heap.Parts())
            : RecordingHeap.make(plan, new Recorder(trace));
    heap.start();
    return heap;
  }
}
