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
  private long slice = Long.MAX_VALUE;
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

  /** Limits buffers to so many cells, while an incremental collection is under way. */
  public void limitRuns(long cells) {
    slice = cells;
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
    return oneByOne || failAfter >= 0 ? 1 : Math.min(slice, trigger.grant());
  }
}
