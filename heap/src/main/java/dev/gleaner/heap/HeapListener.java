package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;

/**
 * Listens to a heap's events, on the heap's Java thread. A listener may look at the heap, by {@link
 * Heap#statistics} and {@link Heap#inspect}, and may add and remove listeners. The heap refuses any
 * other call. If a listener throws, the heap logs and counts the exception, and calls all other
 * listeners.
 */
public interface HeapListener {
  /** A collection, or a slice of a collection, begins. {@link #collectionFinished} follows. */
  default void collectionStarting() {}

  /**
   * A collection, or a slice of a collection, has ended.
   *
   * @param event describes the collection or slice
   */
  default void collectionFinished(CollectionEvent event) {}

  /**
   * The program stood still for what is no collection: a drop freed many elements by counting, many
   * were moved as frames were left, or a cycle that goes along with the program went a large step.
   * Work on less than some hundred elements is not timed.
   *
   * @param event describes it, with the mode and the cause {@code drop}
   */
  default void paused(CollectionEvent event) {}

  /**
   * Returns whether a refused request may collect once more. A request collects up to ten times,
   * which takes long in a large heap. The heap calls this method after each of these collections
   * but the last.
   *
   * @return true to collect once more; false to refuse the request for good
   */
  default boolean mayCollectAgain() {
    return true;
  }

  /**
   * The heap reads at least 16 KiB for an operation that is short otherwise. Either it searches a
   * table for a string that is not interned, and compares all bytes; or a step of a walk over
   * properties passes indexes that have no value. So a runtime may charge the program for the time.
   *
   * @param bytes the bytes that are read: those of the string, or 8 for each index
   */
  default void searched(long bytes) {}

  /**
   * A finalizer has thrown an exception or error.
   *
   * @param heap the heap
   * @param label the finalizer's label
   * @param error the exception or error
   */
  default void finalizerFailed(Heap heap, String label, Throwable error) {}

  /**
   * The heap refuses a request for memory for good, after all collections for the request.
   *
   * @param heap the heap
   * @param refusal the exception that the program gets next
   */
  default void exhausted(Heap heap, HeapExhaustedException refusal) {}

  /**
   * The heap has leaked elements, and is about to be closed.
   *
   * @param heap the heap
   * @param report describes the leaked elements, at least one
   */
  default void leaked(Heap heap, LeakReport report) {}

  /**
   * The heap is closed.
   *
   * @param heap the heap; its last figures can be read
   */
  default void heapClosed(Heap heap) {}
}
