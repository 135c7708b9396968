package dev.gleaner.heap;

/**
 * Told of a heap's events on the heap's Java thread; must not use the heap. What it throws is
 * logged and counted, and all others are told.
 */
public interface HeapListener {
  /**
   * A collection, or a slice of one, is over.
   *
   * @param event what was done
   */
  default void collectionFinished(CollectionEvent event) {}

  /**
   * The heap is closed.
   *
   * @param heap the heap, of which the last figures can be read
   */
  default void heapClosed(Heap heap) {}
}
