package dev.gleaner.refusal;

import org.apiguardian.api.API;

/** No room on the value stack for a frame, or for a value that is pushed. */
@API(status = API.Status.STABLE, since = "0.1")
public final class ValueStackFullException extends StackFullException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param message says the size and the limit
   * @param size the slots that the stack would have had to have
   * @param limit the slots that it may have
   */
  public ValueStackFullException(String message, long size, long limit) {
    super(message, size, limit);
  }
}
