package dev.gleaner.collector.semispace;

import dev.gleaner.space.Budget;

/**
 * How much of the limit the heap uses before it collects (P1; PyPy's red zone).
 *
 * <pre>
 *   after a collection     free more than 1/3: red zone 0
 *                          less: red zone + 1;   less than 1/5: + 1 again
 *                          free more than 7/8: the size is halved, not below the initial one
 *   when it is used up     red zone 2 or more: the size is doubled
 *                          else a collection, and if that makes no room, it is doubled as well
 * </pre>
 *
 * <p>The size counts what the {@link Budget} counts: elements, and what they own. Its last step is
 * to the limit itself; PyPy rounds a limit down to a power of two, but ours is exact. What must
 * live can always grow up to the limit: the size only says when collecting is worth it.
 */
final class SpaceSize {
  private static final int DOUBLES = 2;

  private final Budget budget;
  private final long initial;
  private long size;
  private int redZone;

  /** The last request was refused, so that a collection should have made room. */
  private boolean refused;

  SpaceSize(Budget budget, long initial) {
    this.budget = budget;
    this.initial = Math.min(initial, budget.max());
    this.size = this.initial;
  }

  /** Whether so many bytes may be taken without collecting first. */
  boolean admits(long bytes) {
    if (budget.charged() + bytes <= size) {
      refused = false;
      return true;
    }
    return admitsSlowly(bytes);
  }

  private boolean admitsSlowly(long bytes) {
    long used = budget.used();
    if (used + bytes > size && size < budget.max()) {
      if (redZone < DOUBLES && !refused) {
        refused = true;
        return false;
      }
      redZone = 0;
      while (used + bytes > size && size < budget.max()) {
        size = Math.min(size * 2, budget.max());
      }
    }
    refused = false;
    return true; // the budget decides
  }

  /** Takes note of what a collection left. */
  void collected() {
    long free = size - budget.used();
    if (free > size / 3) {
      redZone = 0;
    } else {
      redZone += free < size / 5 ? 2 : 1;
    }
    while (size > initial && size - budget.used() > size / 8 * 7) {
      size = Math.max(initial, size / 2);
    }
  }

  /** The bytes that may be in use. */
  long size() {
    return size;
  }
}
