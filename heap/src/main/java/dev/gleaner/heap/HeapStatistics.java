package dev.gleaner.heap;

import dev.gleaner.layout.Kind;

/**
 * A heap's figures at one moment. Counts begin when the heap is opened. Bytes and elements include
 * garbage that is not reclaimed yet.
 *
 * @param collections finished collections of any cause
 * @param emergencies finished collections for want of memory
 * @param explicitCollections finished collections that the program asked for
 * @param usedBytes bytes of elements, auxiliary and plain blocks, and external bytes
 * @param peakBytes the largest use so far
 * @param committedBytes bytes of the pages that are taken
 * @param maxBytes the limit, {@code memory.max}
 * @param liveAfterBytes bytes in use after the last collection
 * @param externalBytes bytes outside of the heap: those that are reserved, and 80 for each object
 *     that inherits a finalizer
 * @param allocatedBytes bytes of all elements that were made
 * @param allocatedElements all elements that were made, strings included
 * @param liveElements elements now, without strings
 * @param strings interned strings now
 * @param liveByKind elements of each kind now, in the order of {@link Kind}; {@link #live} reads
 *     one number
 * @param reclaimedBytes bytes of reclaimed elements, of the blocks that they owned, and of what
 *     they were charged with as heirs of finalizers
 * @param reclaimedElements reclaimed elements, strings included
 * @param finalizersRun calls of finalizers
 * @param finalizersRescued elements that were reachable again after their finalizer had run
 * @param finalizersFailed calls of finalizers that threw
 * @param weakCleared weak references that were cleared
 * @param pauseNanos the sum of all pauses
 * @param steps slices of incremental collections
 * @param frameDepth frames of the current thread
 * @param refzeroElements elements that counting reclaimed outside of collections
 * @param leakedElements elements that no root reaches and no collection reclaims, at the last
 *     collection or {@link HeapInspection#findLeaks}; 0 under a collector that reclaims cycles
 * @param movedElements elements that were copied to another place; -1 under a collector that moves
 *     none, or does not count them
 * @param callbacksFailed on-free callbacks and listeners that threw
 */
@SuppressWarnings("ArrayRecordComponent")
public record HeapStatistics(
    long collections,
    long emergencies,
    long explicitCollections,
    long usedBytes,
    long peakBytes,
    long committedBytes,
    long maxBytes,
    long liveAfterBytes,
    long externalBytes,
    long allocatedBytes,
    long allocatedElements,
    long liveElements,
    long strings,
    long[] liveByKind,
    long reclaimedBytes,
    long reclaimedElements,
    long finalizersRun,
    long finalizersRescued,
    long finalizersFailed,
    long weakCleared,
    long pauseNanos,
    long steps,
    long frameDepth,
    long refzeroElements,
    long leakedElements,
    long movedElements,
    long callbacksFailed) {
  /**
   * Returns the number of elements of a kind.
   *
   * @param kind any kind but string
   * @return the number of elements of that kind
   */
  @SuppressWarnings("EnumOrdinal")
  public long live(Kind kind) {
    return liveByKind[kind.ordinal()];
  }

  /** {@return one line with the most important figures, and the elements of each kind} */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(usedBytes).append(" of ").append(maxBytes).append(" bytes in use, ");
    text.append(peakBytes).append(" at the peak;");
    for (Kind kind : Kind.values()) {
      if (live(kind) > 0) {
        text.append(' ').append(live(kind)).append(' ').append(kind).append(',');
      }
    }
    return text.append(' ').append(collections).append(" collections").toString();
  }
}
