package dev.gleaner.lab.serve;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A run on a heap that outlives it; a report of progress is where it can be stopped. */
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
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    return heap;
  }

  @Override
  public HeapFactory factory() {
    return factory;
  }

  @Override
  public void progress(double fraction) {
    if (stopping.getAsBoolean()) {
      throw new Stopped();
    }
  }

  @Override
  public void extra(String name, double value) {
    // The meters are what is served.
  }

  @Override
  public void leaveOut() {
    // Bytes per element are for comparisons.
  }

  @Override
  public void measure() {
    // Bytes per element are for comparisons.
  }
}
