package dev.gleaner.refusal;

/** What goes wrong with a heap. The heap is as it was before the call and stays usable. */
public class HeapException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param message what was asked, and what is wrong
   */
  public HeapException(String message) {
    super(message);
  }
}
