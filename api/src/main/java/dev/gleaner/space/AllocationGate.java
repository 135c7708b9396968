package dev.gleaner.space;

import dev.gleaner.memory.AllocationFailures;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an allocation request may have before it may look for memory: injected failures,
 * torture, the voluntary trigger, and the slices of an incremental collection.
 *
 * <p>Cells are handed out in buffers without a check an element; the gate bounds a buffer so that
 * no request slips past one of the four.
 */
public final class AllocationGate {
  private final VoluntaryTrigger trigger;
  private final boolean oneByOne;
  private long failAfter = -1;
  private long failTimes;

  /** The operations between two slices; 0 if no collection in slices is under way. */
  private long betweenSlices;

  private boolean granted;

  /**
   * Makes a gate.
   *
   * @param oneByOne whether every allocation must come through the gate
   */
  public AllocationGate(VoluntaryTrigger trigger, boolean oneByOne) {
    this.trigger = trigger;
    this.oneByOne = oneByOne;
  }

  public VoluntaryTrigger trigger() {
    return trigger;
  }

  /** Refuses requests from the {@code after + 1}st on, {@code times} of them. */
  public void failAllocations(long after, long times) {
    failAfter = after;
    failTimes = times;
  }

  /** What is left to refuse; null if nothing was arranged. */
  public @Nullable AllocationFailures failures() {
    return failAfter < 0 ? null : new AllocationFailures(failAfter, failTimes);
  }

  public void clearFailures() {
    failAfter = -1;
  }

  /**
   * A slice has ended; the next one is due after so many operations.
   *
   * @param operations at least 1; 0 if the collection is over
   */
  public void sliceEnded(long operations) {
    betweenSlices = operations;
    trigger.lap();
  }

  /** Whether a collection is due: the next slice, where one in slices is under way. */
  public boolean isDue() {
    return betweenSlices == 0 ? trigger.due() : trigger.passed() >= betweenSlices;
  }

  /** Counts a request; false if it is to be refused. */
  public boolean admit() {
    if (failAfter < 0) {
      return true;
    }
    if (failAfter > 0) {
      failAfter--;
      return true;
    }
    if (failTimes == 0) {
      return true;
    }
    failTimes--;
    return false;
  }

  /** Whether buffers were granted since this was last asked. */
  boolean takeGranted() {
    boolean was = granted;
    granted = false;
    return was;
  }

  /** How many cells the next buffer may have, at least one. */
  public long grant() {
    granted = true;
    if (oneByOne || failAfter >= 0) {
      return 1;
    }
    return betweenSlices == 0
        ? trigger.grant()
        : Math.max(1, (betweenSlices - trigger.passed() + 1) >> 1);
  }
}
