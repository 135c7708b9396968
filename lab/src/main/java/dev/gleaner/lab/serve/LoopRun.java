package dev.gleaner.lab.serve;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A run on a heap that outlives it, whose meters are served; a report of progress is where it can
 * be stopped.
 */
record LoopRun(Heap heap, HeapFactory factory, Parameters parameters, BooleanSupplier stopping)
    implements Run {
  /** The run was stopped in its midst. */
  static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super("stopped", null, false, false);
    }
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    return heap;
  }

  @Override
  public void progress(double fraction) {
    if (stopping.getAsBoolean()) {
      throw new Stopped();
    }
  }
}
