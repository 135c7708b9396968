package dev.gleaner.refusal;

import org.apiguardian.api.API;

/**
 * The call stack of a thread is full: it has {@code threads.max-stack-slots} entries, activations
 * and catchers, already. Any program can come to that. Nothing was changed: whoever leaves frames
 * can go on.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class CallStackFullException extends HeapException {
  private static final long serialVersionUID = 1;
  private final long size;
  private final long limit;

  /**
   * Makes an exception.
   *
   * @param message says the size and the limit
   * @param size the entries that the stack would have had to have
   * @param limit the entries that it may have
   */
  public CallStackFullException(String message, long size, long limit) {
    super(message);
    this.size = size;
    this.limit = limit;
  }

  /** {@return the entries that the stack would have had to have} */
  public long size() {
    return size;
  }

  /** {@return the entries that it may have} */
  public long limit() {
    return limit;
  }
}
