package dev.gleaner.refusal;

import org.apiguardian.api.API;

/** No room for another entry of the call stack, an activation or a catcher. */
@API(status = API.Status.STABLE, since = "0.1")
public final class CallStackFullException extends StackFullException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param message says the size and the limit
   * @param size the entries that the stack would have had to have
   * @param limit the entries that it may have
   */
  public CallStackFullException(String message, long size, long limit) {
    super(message, size, limit);
  }
}
