package dev.gleaner.heap;

import dev.gleaner.parts.HeapPlan;
import dev.gleaner.trace.TraceSink;
import org.jspecify.annotations.Nullable;

/** Opens heaps: with a trace of the operations or without, empty or from an image. */
final class HeapOpening {
  static {
    HeapPlan.openBy(HeapOpening::open);
  }

  private HeapOpening() {}

  private static Heap open(HeapPlan plan, @Nullable Object image, @Nullable Object bindings) {
    TraceSink trace = plan.trace();
    Heap heap =
        trace == null
            ? new Heap(plan, new Heap.Parts())
            : RecordingHeap.make(plan, new Recorder(trace));
    heap.start((HeapImage) image, (ImageBindings) bindings);
    return heap;
  }
}
