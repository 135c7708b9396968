package dev.gleaner.space;

import dev.gleaner.settings.VoluntarySettings;

/**
 * When to collect without need (Duktape, "Voluntary mark-and-sweep interval").
 *
 * <pre>
 *   trigger_count = ((kept objects + kept strings) * MULT) + ADD
 * </pre>
 *
 * <p>The product is taken in fixed point with 8 fractional bits of MULT. Every allocation,
 * reallocation and free decreases the count; below zero the next allocation collects first. By the
 * rules of Duktape 1.x a free decreases nothing, but what counting frees does; and zero suffices.
 * Cells granted in buffers are counted when they are granted, and given back when the buffer is
 * retired.
 *
 * <p>Duktape counts a large string as it counts a small one. Where bytes count, the bytes by which
 * memory has grown since the last collection are operations, too, and those in use at its end are
 * kept elements: one for each {@link VoluntarySettings#bytes}.
 */
public final class VoluntaryTrigger {
  private static final int FRACTION_BITS = 8;

  /** MULT is taken in steps of one by this. */
  public static final int FRACTION = 1 << FRACTION_BITS;

  /** From this count on no memory grows by as many bytes. */
  private static final long OUT_OF_REACH = 1L << 42;

  /** Between two slices, so many bytes by which memory grows count as an operation. */
  private static final long BYTES_BETWEEN_SLICES = 128;

  private final boolean enabled;
  private final long mult;
  private final long add;

  /** The bytes that count as one operation; 0 if bytes do not count. */
  private final long bytes;

  private final Budget budget;
  private long count;

  /** The bytes in use when the count was set. */
  private long before;

  /** What {@link #passed} counts from: the count, and the bytes in use. */
  private long lapCount;

  private long lapBytes;

  /** The trigger fires below this. */
  private long floor;

  private boolean countsFrees = true;

  public VoluntaryTrigger(VoluntarySettings settings, Budget budget) {
    this.enabled = settings.enabled();
    this.mult = Math.round(settings.mult() * FRACTION);
    this.add = Math.round(settings.add());
    this.bytes = settings.bytes();
    this.budget = budget;
    renew(0);
  }

  /** From now on the rules are those of Duktape 1.x. */
  public void countAsDuktape1() {
    floor = 1;
    countsFrees = false;
  }

  /** Whether a free is an operation. */
  public boolean countsFrees() {
    return countsFrees;
  }

  /** Sets the count after a collection that kept this many elements, strings included. */
  public void renew(long kept) {
    before = budget.charged();
    long all = bytes == 0 ? kept : kept + before / bytes;
    long product = all * mult;
    if (Math.multiplyHigh(all, mult) != 0 || product < 0) {
      product = Long.MAX_VALUE;
    }
    count = (product >> FRACTION_BITS) + add;
    lap();
  }

  /**
   * Sets the count after a minor collection, which is no reason to begin anew.
   *
   * @param operations that are left until the trigger fires
   */
  public void restore(long operations) {
    count = operations;
    lap();
  }

  /** Lets {@link #passed} count from now on. */
  void lap() {
    lapCount = count;
    lapBytes = budget.charged();
  }

  /** Returns the operations since {@link #lap}; or the growth of memory since, if that is more. */
  long passed() {
    return Math.max(lapCount - count, (budget.charged() - lapBytes) / BYTES_BETWEEN_SLICES);
  }

  public void decrease(long operations) {
    count -= operations;
  }

  public boolean due() {
    return enabled && (count < floor || (bytes > 0 && hasGrown()));
  }

  private boolean hasGrown() {
    return count < OUT_OF_REACH && budget.charged() - before > (count - floor) * bytes;
  }

  public long count() {
    return count;
  }

  /** How many allocations one buffer may be granted; half of what is left, so that several may. */
  public long grant() {
    return enabled ? Math.max(1, (count + 1 - floor) >> 1) : Long.MAX_VALUE;
  }
}
