package dev.gleaner.refusal;

import org.apiguardian.api.API;

/**
 * A stack of a thread is full: {@code threads.max-stack-slots} leaves no room. Any program can come
 * to that, by endless recursion above all. Nothing was changed: whoever leaves frames can go on.
 */
@API(status = API.Status.STABLE, since = "0.1")
public abstract sealed class StackFullException extends HeapException
    permits CallStackFullException, ValueStackFullException {
  private static final long serialVersionUID = 1;
  private final long size;
  private final long limit;

  StackFullException(String message, long size, long limit) {
    super(message);
    this.size = size;
    this.limit = limit;
  }

  /** {@return the slots or entries that the stack would have had to have} */
  public long size() {
    return size;
  }

  /** {@return those that it may have} */
  public long limit() {
    return limit;
  }
}
