package dev.gleaner.heap;

/** Told of a heap's events on the heap's Java thread; must not use the heap. */
public interface HeapListener {
  /** A collection, or a slice of one, is over. */
  default void collectionFinished(CollectionEvent event) {}

  /** The heap is closed. */
  default void heapClosed(Heap heap) {}
}
