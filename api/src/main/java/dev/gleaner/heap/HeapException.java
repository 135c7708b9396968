package dev.gleaner.heap;

/** What goes wrong with a heap. The heap is as it was before the call and stays usable. */
public class HeapException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public HeapException(String message) {
    super(message);
  }
}
