package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * The settings of a heap, checked and ready to use: what {@code reference.conf} says, overlaid with
 * the user's, overlaid with what {@code gleaner.collectors.<name>} overrides for the chosen
 * collector.
 *
 * <p>A plain record of primitives, words and other such records, so that code that runs per
 * operation can copy what it needs into final fields. The keys, units and ranges are documented in
 * {@code reference.conf}.
 *
 * @param collector the name of the collector
 * @param memory where elements live and how much there may be of it
 * @param strings the string table
 * @param voluntary when a collection starts by itself
 * @param baseFlags flags or-ed into those of every collection, see {@code CollectFlags}
 * @param finalizers whether finalizers run
 * @param finalizerOrder which of those that are due together runs first
 * @param torture collections and finalizers at the worst moments, for tests
 * @param verifyAfterCollection whether the verifier runs after each collection
 * @param mark the mark phase
 * @param incremental collections in slices
 * @param threads the value stacks
 * @param leakStacks whether a heap keeps where it was opened
 * @param logCollections whether a heap prints a line for each collection
 */
@API(status = API.Status.STABLE, since = "0.1")
public record HeapSettings(
    String collector,
    MemorySettings memory,
    StringSettings strings,
    VoluntarySettings voluntary,
    int baseFlags,
    boolean finalizers,
    FinalizerOrder finalizerOrder,
    TortureSettings torture,
    boolean verifyAfterCollection,
    MarkSettings mark,
    IncrementalSettings incremental,
    ThreadSettings threads,
    boolean leakStacks,
    boolean logCollections) {

  /**
   * The order in which the finalizers run that one collection, or the end of the heap, finds due.
   * Ordered finalizers (PyPy's rule) keep theirs.
   */
  public enum FinalizerOrder {
    /**
     * As in Duktape: a collection's by the order in which elements were made; of what a drop frees,
     * what a finalized element held before the others; at the end what was made last first.
     */
    DUKTAPE,
    /** What was registered first runs first. Under counting what dies runs as it dies. */
    REGISTRATION,
    /** What was registered last runs first, as in Lua. Under counting what dies runs as it dies. */
    REVERSE
  }

  /** {@return whether finalizers run by the ages of their elements, as in Duktape} */
  public boolean finalizersByAge() {
    return finalizerOrder == FinalizerOrder.DUKTAPE;
  }

  /** {@return whether the finalizer that was set last runs first} */
  public boolean finalizersInReverse() {
    return finalizerOrder == FinalizerOrder.REVERSE;
  }
}
