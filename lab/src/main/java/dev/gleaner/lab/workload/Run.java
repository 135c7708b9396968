package dev.gleaner.lab.workload;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.util.function.Function;

/** One run of a workload: what it is given, and where it puts what it finds. */
public interface Run {
  /** Returns the parameters, every one of the workload's with a value. */
  Parameters parameters();

  /**
   * Returns the heap whose meters are shown, opened by the first call; later calls return the same
   * one. The run closes it.
   *
   * @throws UnsupportedOperationException under the JVM baseline
   */
  default Heap openHeap() {
    return openHeap(HeapFactory::open);
  }

  /**
   * Opens the heap whose meters are shown as {@link #openHeap()} does, in another way than empty.
   *
   * @param opening opens the heap, if none was opened yet
   * @throws UnsupportedOperationException under the JVM baseline
   */
  Heap openHeap(Function<HeapFactory, Heap> opening);

  /**
   * Returns the factory, for heaps beside the metered one; who opens them closes them.
   *
   * @throws UnsupportedOperationException under the JVM baseline
   */
  HeapFactory factory();

  /**
   * Reports a figure of this workload's own, such as {@code collection_1_ms}: lower case words
   * joined by underscores, the unit last. Figures are shown in the order of their first report; a
   * later report of the same name replaces the value. By default nothing happens.
   */
  default void extra(String name, double value) {}

  /**
   * Reports how much of the work is done, from 0 to 1. Calls cost little; some hundred a run are
   * enough. By default nothing happens.
   */
  default void progress(double fraction) {}

  /**
   * Leaves what the heap holds now out of the bytes per element, such as an array that only holds
   * the elements in question. What an empty heap holds is left out anyway. Does nothing by default,
   * as under the JVM baseline, which does not count its objects.
   */
  default void leaveOut() {}

  /**
   * Takes the bytes per element now, usually when all that will live is built. Without a call they
   * are taken {@linkplain #beforeDropping() before all is dropped}. Does nothing by default, as
   * under the JVM baseline.
   */
  default void measure() {}

  /**
   * Says that the work is done and what it holds is about to be dropped: the last moment at which a
   * snapshot shows it. By default nothing happens.
   */
  default void beforeDropping() {}
}
