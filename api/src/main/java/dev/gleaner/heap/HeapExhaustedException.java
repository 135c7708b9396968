package dev.gleaner.heap;

import dev.gleaner.policy.Budget;
import dev.gleaner.spi.HeapContext;

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
   * @param limit {@code memory.max}, in bytes
   * @param requested bytes that were refused
   */
  public HeapExhaustedException(String heap, long used, long limit, long requested) {
    this(heap, used, limit, requested, "");
  }

  private HeapExhaustedException(
      String heap, long used, long limit, long requested, String remark) {
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

  /** The heap whose context this is has refused a request. */
  static HeapExhaustedException of(HeapContext context, long requested) {
    Budget budget = context.budget();
    long used = budget.used();
    boolean fits = requested <= budget.max() - used;
    return new HeapExhaustedException(
        context.heap(),
        used,
        budget.max(),
        requested,
        fits && !context.raw().hasRoom(requested) ? "; what is free is in pieces" : "");
  }

  /** {@return the heap's name} */
  public String heap() {
    return heap;
  }

  /** {@return bytes in use when the request was refused} */
  public long used() {
    return used;
  }

  /** {@return the limit, {@code memory.max}, in bytes} */
  public long limit() {
    return limit;
  }

  /** {@return bytes that were requested} */
  public long requested() {
    return requested;
  }
}
