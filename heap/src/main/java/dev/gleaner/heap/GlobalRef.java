package dev.gleaner.heap;

/** A global root slot, undefined at first. Read and written through {@link Mutator}. */
public final class GlobalRef implements AutoCloseable {
  private final Heap heap;
  int number;

  /** Where the property of this name was found last: a guess that saves searches. */
  int entry;

  /** Its number in the trace, where there is one. */
  long recorded;

  GlobalRef(Heap heap, int number) {
    this.heap = heap;
    this.number = number;
  }

  @SuppressWarnings("ReferenceEquality") // heaps have identity only
  boolean belongsTo(Heap other) {
    return heap == other;
  }

  /** Drops the root; closing it again does nothing. */
  @Override
  public void close() {
    heap.closeGlobal(this);
  }

  /** {@return the number and the heap; for any Java thread} */
  @Override
  public String toString() {
    return "global reference " + (number < 0 ? "that is closed" : number) + " of " + heap;
  }
}
