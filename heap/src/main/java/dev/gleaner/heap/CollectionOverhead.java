package dev.gleaner.heap;

/**
 * Refuses requests of a heap that does little but collect: near the limit this could last for ever.
 *
 * <pre>
 *   a collection because memory was refused: debt += bytes in use
 *   bytes that a collection frees:           debt -= bytes * 64
 *   bytes allocated beyond those:            debt -= bytes * 64
 *   debt beyond max(256 MiB, 8 * bytes in use): the next refused request fails without a collection
 * </pre>
 *
 * <p>A heap whose collections free a 64th of the bytes in use never comes into debt. A request that
 * fails after all its collections adds the debt of one collection at most. A request that fails by
 * debt halves the debt, as the program may drop elements then. What is freed pays at once, not when
 * it is allocated again: a heap that has become small owes nothing for its former size. Only bytes
 * count, not time, so that equal runs have equal results.
 */
final class CollectionOverhead {
  private static final long LEAST_BOUND = 256L << 20;
  private static final int COLLECTIONS = 8;

  /** The bytes of the smallest element, which an operation allocates at least. */
  private static final int OPERATION_BYTES = 16;

  /** The bytes in use that one allocated byte pays for; 0 turns this class off. */
  private final long factor;

  private long debt;

  /** The debt at the first refusal of the present request, with one collection. */
  private long once;

  /**
   * The bytes of the last refused request, which are allocated by now unless the request failed.
   */
  private long request;

  /** The bytes in use, and what was left until a collection is due, when it was paid last. */
  private long used;

  private long untilDue;

  /** The bytes that collections freed, which have paid: as many are allocated that pay nothing. */
  private long paid;

  CollectionOverhead(int factor) {
    this.factor = factor;
  }

  /**
   * Notes the first refusal of a request.
   *
   * @param untilDueNow the elements until a collection is due
   * @return whether the request may collect
   */
  boolean begin(long bytes, long usedNow, long untilDueNow) {
    if (factor == 0) {
      return true;
    }
    payAllocated(usedNow, untilDueNow);
    pay(request);
    request = 0;
    if (debt > Math.max(LEAST_BOUND, COLLECTIONS * usedNow)) {
      debt >>= 1;
      return false;
    }
    request = bytes;
    once = debt + usedNow;
    return true;
  }

  /** Notes that the present request fails after all its collections. */
  void fail() {
    request = 0;
    debt = Math.min(debt, once);
  }

  /** Notes that a collection begins. */
  void starting(long usedNow, long untilDueNow, boolean refused) {
    payAllocated(usedNow, untilDueNow);
    if (refused) {
      debt += usedNow;
    }
  }

  /** Notes that a collection, or a slice of a collection, has ended. */
  void finished(long usedNow, long untilDueNow) {
    long freed = Math.max(used - usedNow, 0);
    pay(freed);
    paid += freed;
    used = usedNow;
    untilDue = untilDueNow;
  }

  private void payAllocated(long usedNow, long untilDueNow) {
    long bytes = Math.max(usedNow - used, (untilDue - untilDueNow) * OPERATION_BYTES);
    if (bytes > 0) {
      long before = Math.min(bytes, paid);
      paid -= before;
      pay(bytes - before);
    }
    used = usedNow;
    untilDue = untilDueNow;
  }

  private void pay(long bytes) {
    debt = bytes > debt / Math.max(1, factor) ? 0 : debt - bytes * factor;
  }
}
