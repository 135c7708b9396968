package dev.gleaner.heap;

import dev.gleaner.settings.HeapSettings;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.spi.Collector;

/**
 * Decides whether a collection is due. Torture comes first, then the slices of an incremental
 * collection under way, then the voluntary trigger.
 *
 * <pre>
 *   every n-th question   TORTURE, or MINOR_TORTURE in turns, where the collector has minor ones
 *   slices under way      SLICE, after so many operations
 *   the trigger is due    SLICE, the first of a collection; VOLUNTARY if not incremental
 * </pre>
 */
final class CollectionSchedule {
  /** The collection that is due. */
  enum Due {
    NOTHING,
    TORTURE,
    MINOR_TORTURE,
    SLICE,
    VOLUNTARY
  }

  private final Collector collector;
  private final AllocationGate gate;
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
      AllocationGate gate,
      boolean incremental,
      boolean minor) {
    this.collector = collector;
    this.gate = gate;
    this.incremental = incremental && settings.incremental().enabled();
    this.minor = minor;
    this.tortureEvery = settings.torture().gcEvery();
    this.sinceTorture =
        tortureEvery > 0 ? Math.floorMod(settings.torture().seed(), tortureEvery) : 0;
  }

  /** Returns the collection that is due after what an operation dropped is freed. */
  Due afterDrop() {
    collector.retire(); // granted but unused memory counted as allocated
    if (!gate.isDue()) {
      return Due.NOTHING;
    }
    return incremental || collector.inCycle() ? Due.SLICE : Due.VOLUNTARY;
  }

  /** Returns the collection that is due before a slow allocation. */
  Due next() {
    if (tortureEvery > 0 && ++sinceTorture >= tortureEvery) {
      sinceTorture = 0;
      tortureMinor = minor && !tortureMinor; // in turns, so that torture tests both
      return tortureMinor ? Due.MINOR_TORTURE : Due.TORTURE;
    }
    if (!gate.isDue()) {
      return Due.NOTHING;
    }
    return collector.inCycle() ? Due.SLICE : afterDrop();
  }
}
