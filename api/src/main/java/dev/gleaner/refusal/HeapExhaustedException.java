package dev.gleaner.refusal;

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

  /**
   * Makes an exception whose message has all four.
   *
   * @param heap the heap's name
   * @param used bytes in use
   * @param limit {@code memory.max} or the share of it that was met, in bytes
   * @param requested bytes that were refused
   */
  public HeapExhaustedException(String heap, long used, long limit, long requested) {
    this(heap, used, limit, requested, "");
  }

  /**
   * Makes an exception whose message has all four, and a remark.
   *
   * @param heap the heap's name
   * @param used bytes in use
   * @param limit {@code memory.max} or the share of it that was met, in bytes
   * @param requested bytes that were refused
   * @param remark what else the message says, at its end
   */
  public HeapExhaustedException(String heap, long used, long limit, long requested, String remark) {
    super(
        "heap "
            + heap
            + " is exhausted: "
            + requested
            + " bytes requested, "
            + used
            + " of "
            + limit
            + " in use"
            + remark);
    this.heap = heap;
    this.used = used;
    this.limit = limit;
    this.requested = requested;
  }

  /** {@return the heap's name} */
  public String heap() {
    return heap;
  }

  /** {@return bytes in use when the request was refused} */
  public long used() {
    return used;
  }

  /** {@return the limit that was met, {@code memory.max} or a share of it, in bytes} */
  public long limit() {
    return limit;
  }

  /** {@return bytes that were requested} */
  public long requested() {
    return requested;
  }
}
