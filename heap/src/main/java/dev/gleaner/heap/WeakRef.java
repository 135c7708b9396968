package dev.gleaner.heap;

/**
 * A weak reference to an element: no root; cleared before the element goes, or before its finalizer
 * runs under a collector without ordered finalizers. {@link Mutator#getWeak} reads it.
 */
public final class WeakRef implements AutoCloseable {
  private final Heap heap;
  int number;

  /** Its number in the trace, where there is one. */
  long recorded;

  WeakRef(Heap heap, int number) {
    this.heap = heap;
    this.number = number;
  }

  @SuppressWarnings("ReferenceEquality") // heaps have identity only
  boolean belongsTo(Heap other) {
    return heap == other;
  }

  /**
   * Whether the element is gone, or about to.
   *
   * @return whether the element is gone, or about to be finalized
   */
  public boolean isCleared() {
    return heap.isWeakCleared(this);
  }

  /** Forgets the reference; closing it again does nothing. */
  @Override
  public void close() {
    heap.closeWeak(this);
  }

  /** {@return the number and the heap; for any Java thread} */
  @Override
  public String toString() {
    return "weak reference " + (number < 0 ? "that is closed" : number) + " of " + heap;
  }
}
