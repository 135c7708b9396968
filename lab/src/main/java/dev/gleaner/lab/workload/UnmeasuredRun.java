package dev.gleaner.lab.trace;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import org.jspecify.annotations.Nullable;

/** A run that is there for its trace only: nothing is measured. */
public final class RecordedRun implements Run, AutoCloseable {
  private final HeapFactory factory;
  private final Parameters parameters;
  private @Nullable Heap heap;

  /** Prepares it; the factory's heaps are recorded. */
  public RecordedRun(HeapFactory factory, Parameters parameters) {
    this.factory = factory;
    this.parameters = parameters;
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap() {
    if (heap == null) {
      heap = factory.open();
    }
    return heap;
  }

  @Override
  public HeapFactory factory() {
    return factory;
  }

  @Override
  public void extra(String name, double value) {}

  @Override
  public void progress(double fraction) {}

  @Override
  public void leaveOut() {}

  @Override
  public void measure() {}

  @Override
  public void close() {
    if (heap != null) {
      heap.close();
    }
  }
}
