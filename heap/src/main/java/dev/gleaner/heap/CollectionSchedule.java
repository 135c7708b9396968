package dev.gleaner.heap;

import dev.gleaner.settings.HeapSettings;
import dev.gleaner.space.VoluntaryTrigger;
import dev.gleaner.spi.Collector;

/**
 * When a collection is due, whatever is asked for: torture, then the slices of an incremental one
 * that is under way, then the voluntary trigger.
 *
 * <pre>
 *   every n-th question   TORTURE, or MINOR_TORTURE in turns, where the collector has minor ones
 *   a cycle is on         SLICE
 *   the trigger is due    SLICE, which starts a cycle, where collections are incremental; else VOLUNTARY
 * </pre>
 */
final class CollectionSchedule {
  /** What is due. */
  enum Due {
    NOTHING,
    TORTURE,
    MINOR_TORTURE,
    SLICE,
    VOLUNTARY
  }

  private final Collector collector;
  private final VoluntaryTrigger trigger;
  private final boolean incremental;
  private final boolean minor;
  private final long tortureEvery;
  private long sinceTorture;
  private boolean tortureMinor;

  /**
   * Makes a schedule.
   *
   * @param incremental whether the collector can collect in slices
   * @param minor whether it has minor collections
   */
  CollectionSchedule(
      HeapSettings settings,
      Collector collector,
      VoluntaryTrigger trigger,
      boolean incremental,
      boolean minor) {
    this.collector = collector;
    this.trigger = trigger;
    this.incremental = incremental && settings.incremental().enabled();
    this.minor = minor;
    this.tortureEvery = settings.torture().gcEvery();
    this.sinceTorture =
        tortureEvery > 0 ? Math.floorMod(settings.torture().seed(), tortureEvery) : 0;
  }

  /** Answers what is due before an allocation that looks for memory. */
  Due next() {
    if (tortureEvery > 0 && ++sinceTorture >= tortureEvery) {
      sinceTorture = 0;
      tortureMinor = minor && !tortureMinor; // in turns, so that both are tried
      return tortureMinor ? Due.MINOR_TORTURE : Due.TORTURE;
    }
    if (collector.inCycle()) {
      return Due.SLICE;
    }
    if (!trigger.due()) {
      return Due.NOTHING;
    }
    collector.retire(); // what is granted but unused was counted
    return !trigger.due() ? Due.NOTHING : incremental ? Due.SLICE : Due.VOLUNTARY;
  }
}
