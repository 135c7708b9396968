package dev.gleaner.heap;

/**
 * No memory within the limit, even after emergency collections. The heap stays usable: whoever
 * holds less can go on.
 */
public final class HeapExhaustedException extends HeapException {
  private static final long serialVersionUID = 1;
  private final String heap;
  private final long used;
  private final long limit;
  private final long requested;

  public HeapExhaustedException(String heap, long used, long limit, long requested) {
    super(
        "heap "
            + heap
            + " is exhausted: "
            + requested
            + " bytes requested, "
            + used
            + " of "
            + limit
            + " in use");
    this.heap = heap;
    this.used = used;
    this.limit = limit;
    this.requested = requested;
  }

  public String heap() {
    return heap;
  }

  /** Bytes in use when the request was refused. */
  public long used() {
    return used;
  }

  /** The limit, {@code memory.max}, in bytes. */
  public long limit() {
    return limit;
  }

  /** Bytes that were requested. */
  public long requested() {
    return requested;
  }
}
