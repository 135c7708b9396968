package dev.gleaner.space;

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
 */
public final class VoluntaryTrigger {
  private static final int FRACTION_BITS = 8;

  /** MULT is taken in steps of one by this. */
  public static final int FRACTION = 1 << FRACTION_BITS;

  private final boolean enabled;
  private final long mult;
  private final long add;
  private long count;

  /** The trigger fires below this. */
  private long floor;

  private boolean countsFrees = true;

  public VoluntaryTrigger(boolean enabled, double mult, double add) {
    this.enabled = enabled;
    this.mult = Math.round(mult * FRACTION);
    this.add = Math.round(add);
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
    long product = kept * mult;
    if (Math.multiplyHigh(kept, mult) != 0 || product < 0) {
      product = Long.MAX_VALUE;
    }
    count = (product >> FRACTION_BITS) + add;
  }

  /**
   * Sets the count after a minor collection, which is no reason to begin anew.
   *
   * @param operations that are left until the trigger fires
   */
  public void restore(long operations) {
    count = operations;
  }

  public void decrease(long operations) {
    count -= operations;
  }

  public boolean due() {
    return enabled && count < floor;
  }

  public long count() {
    return count;
  }

  /** How many allocations one buffer may be granted; half of what is left, so that several may. */
  public long grant() {
    return enabled ? Math.max(1, (count + 1 - floor) >> 1) : Long.MAX_VALUE;
  }
}
