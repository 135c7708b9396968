package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;

/**
 * Told of a heap's events on the heap's Java thread. It may look at the heap, by {@link
 * Heap#statistics} and {@link Heap#inspect}, add and remove listeners; any other use is refused.
 * What it throws is logged and counted, and all others are told.
 */
public interface HeapListener {
  /** A collection, or a slice of one, begins; {@link #collectionFinished} follows. */
  default void collectionStarting() {}

  /**
   * A collection, or a slice of one, is over.
   *
   * @param event what was done
   */
  default void collectionFinished(CollectionEvent event) {}

  /**
   * Whether a refused request may collect once more: it collects up to ten times, which takes long
   * in a large heap. Asked after each of these collections but the last one.
   *
   * @return whether it may; otherwise the request is refused for good
   */
  default boolean mayCollectAgain() {
    return true;
  }

  /**
   * A string that is not interned is looked for as a key, and has at least 16 KiB. Each time its
   * bytes are compared: an operation that takes long, and may be worth charging.
   *
   * @param bytes of the string
   */
  default void searched(long bytes) {}

  /**
   * A finalizer threw.
   *
   * @param heap the heap
   * @param label the finalizer's label
   * @param error what it threw
   */
  default void finalizerFailed(Heap heap, String label, Throwable error) {}

  /**
   * A request for memory is refused for good, after all the collections that might have helped.
   *
   * @param heap the heap
   * @param refusal what the program gets next
   */
  default void exhausted(Heap heap, HeapExhaustedException refusal) {}

  /**
   * A heap that is about to be closed has leaked.
   *
   * @param heap the heap
   * @param report what leaked: one element, or more
   */
  default void leaked(Heap heap, LeakReport report) {}

  /**
   * The heap is closed.
   *
   * @param heap the heap, of which the last figures can be read
   */
  default void heapClosed(Heap heap) {}
}
