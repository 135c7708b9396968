package dev.gleaner.refusal;

/** A call on a heap that was closed. */
public class HeapClosedException extends HeapException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param heap the heap's name
   */
  public HeapClosedException(String heap) {
    super("heap is closed: " + heap);
  }
}
