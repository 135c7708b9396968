package dev.gleaner.heap;

/**
 * Ends a heap that does little but collect, which near its limit would go on for ever.
 *
 * <pre>
 *   a collection because memory was refused: debt += bytes in use
 *   bytes allocated since:                   debt -= bytes * 64
 *   debt beyond max(256 MiB, 8 * bytes in use): the next refused request fails without a collection
 * </pre>
 *
 * <p>A heap whose collections free a 64th of what is in use never comes into debt. A request that
 * fails after all its collections owes for one of them. A request that fails by debt halves the
 * debt, as the program may drop what it holds then. All is counted in bytes, so runs are alike.
 */
final class CollectionOverhead {
  private static final long LEAST_BOUND = 256L << 20;
  private static final int COLLECTIONS = 8;

  /** What an operation allocates at least: the smallest element. */
  private static final int OPERATION_BYTES = 16;

  /** Bytes in use that an allocated byte pays for; 0 if nothing is counted. */
  private final long factor;

  private long debt;

  /** The debt when the request that is under way was refused first, with one collection. */
  private long once;

  /** The bytes of the last request that was refused, which are allocated unless it failed. */
  private long request;

  /** As it was when the last collection was over. */
  private long used;

  private long untilDue;

  CollectionOverhead(int factor) {
    this.factor = factor;
  }

  /**
   * A request is refused for the first time.
   *
   * @return whether it may collect
   */
  boolean begin(long bytes, long usedNow) {
    if (factor == 0) {
      return true;
    }
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

  /** The request that is under way fails after all its collections. */
  void fail() {
    request = 0;
    debt = Math.min(debt, once);
  }

  /** A collection begins. */
  void starting(long usedNow, long untilDueNow, boolean refused) {
    pay(Math.max(usedNow - used, (untilDue - untilDueNow) * OPERATION_BYTES));
    if (refused) {
      debt += usedNow;
    }
  }

  /** A collection, or a slice of one, is over. */
  void finished(long usedNow, long untilDueNow) {
    used = usedNow;
    untilDue = untilDueNow;
  }

  private void pay(long bytes) {
    if (bytes > 0) {
      debt = bytes > debt / Math.max(1, factor) ? 0 : debt - bytes * factor;
    }
  }
}
