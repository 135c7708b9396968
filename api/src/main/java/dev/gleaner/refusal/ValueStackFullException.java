package dev.gleaner.refusal;

import org.apiguardian.api.API;

/**
 * The value stack of a thread is full: {@code threads.max-stack-slots} leaves no room for a frame,
 * or for a value that is pushed. Any program can come to that, by endless recursion above all.
 * Nothing was changed: whoever leaves frames can go on.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class ValueStackFullException extends HeapException {
  private static final long serialVersionUID = 1;
  private final long size;
  private final long limit;

  /**
   * Makes an exception.
   *
   * @param message says the size and the limit
   * @param size the slots that the stack would have had to have
   * @param limit the slots that it may have
   */
  public ValueStackFullException(String message, long size, long limit) {
    super(message);
    this.size = size;
    this.limit = limit;
  }

  /** {@return the slots that the stack would have had to have} */
  public long size() {
    return size;
  }

  /** {@return the slots that it may have} */
  public long limit() {
    return limit;
  }
}
