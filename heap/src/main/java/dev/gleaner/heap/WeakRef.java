package dev.gleaner.heap;

/**
 * A weak reference to an element. A weak reference is no root. The heap clears the reference before
 * the element is freed; a collector without ordered finalizers clears it before the finalizer runs.
 * {@link Mutator#getWeak} reads the reference.
 */
public final class WeakRef implements AutoCloseable {
  private final ReferenceOwner heap;
  int number;

  /** The number of this reference in the trace, if there is a trace. */
  long recorded;

  WeakRef(ReferenceOwner heap, int number) {
    this.heap = heap;
    this.number = number;
  }

  @SuppressWarnings("ReferenceEquality") // heaps have identity only
  boolean belongsTo(ReferenceOwner other) {
    return heap == other;
  }

  /**
   * Returns whether the reference is cleared.
   *
   * @return whether the element is freed, or about to be finalized
   */
  public boolean isCleared() {
    return heap.isWeakCleared(this);
  }

  /** Closes the reference. A second call does nothing. */
  @Override
  public void close() {
    heap.closeWeak(this);
  }

  /** {@return the number of the reference, and the heap; for any Java thread} */
  @Override
  public String toString() {
    return "weak reference " + (number < 0 ? "that is closed" : number) + " of " + heap;
  }
}
