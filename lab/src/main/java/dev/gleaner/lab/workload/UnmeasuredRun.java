package dev.gleaner.lab.workload;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run that nothing is measured of: it is there for a trace or a snapshot, or others take its
 * time.
 */
public class UnmeasuredRun implements Run, AutoCloseable {
  private final HeapFactory factory;
  private final Parameters parameters;
  private @Nullable Heap heap;

  /** Prepares it; its heap is opened when the workload asks for it. */
  public UnmeasuredRun(HeapFactory factory, Parameters parameters) {
    this.factory = factory;
    this.parameters = parameters;
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    if (heap == null) {
      heap = opening.apply(factory);
    }
    return heap;
  }

  /** Returns the heap, null if the workload did not ask for it yet. */
  protected final @Nullable Heap opened() {
    return heap;
  }

  @Override
  public HeapFactory factory() {
    return factory;
  }

  @Override
  public void close() {
    if (heap != null) {
      heap.close();
    }
  }
}
