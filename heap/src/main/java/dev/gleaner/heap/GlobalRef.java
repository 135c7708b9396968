package dev.gleaner.heap;

/** A global root slot, undefined at first. {@link Mutator} reads and writes the slot. */
public final class GlobalRef implements AutoCloseable {
  private final ReferenceOwner heap;
  int number;

  /** The entry where the last look-up found the property of this name: a guess that saves time. */
  int entry;

  /** The number of this reference in the trace, if there is a trace. */
  long recorded;

  GlobalRef(ReferenceOwner heap, int number) {
    this.heap = heap;
    this.number = number;
  }

  @SuppressWarnings("ReferenceEquality") // heaps have identity only
  boolean belongsTo(ReferenceOwner other) {
    return heap == other;
  }

  /** Drops the root. A second call does nothing. */
  @Override
  public void close() {
    heap.closeGlobal(this);
  }

  /** {@return the number of the reference, and the heap; for any Java thread} */
  @Override
  public String toString() {
    return "global reference " + (number < 0 ? "that is closed" : number) + " of " + heap;
  }
}
