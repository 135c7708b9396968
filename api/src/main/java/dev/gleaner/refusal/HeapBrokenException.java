package dev.gleaner.refusal;

import org.apiguardian.api.API;

/**
 * A call on a heap that cannot be trusted any more: something was thrown in the midst of a change,
 * such as a {@link StackOverflowError} in a collection. The cause says what. Closing the heap gives
 * its memory back; nothing else works.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class HeapBrokenException extends HeapException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param heap the heap's name
   * @param cause what broke it
   */
  public HeapBrokenException(String heap, Throwable cause) {
    super("heap " + heap + " is broken, and can only be closed: " + cause);
    initCause(cause);
  }
}
