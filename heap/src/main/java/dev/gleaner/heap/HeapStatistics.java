package dev.gleaner.heap;

import dev.gleaner.layout.Kind;

/**
 * A heap's figures at one moment, since it was opened. Bytes and elements include garbage that is
 * not yet reclaimed.
 *
 * @param collections finished collections of any cause
 * @param emergencies of them those for want of memory
 * @param explicitCollections of them those that the program asked for
 * @param usedBytes elements, auxiliary and plain blocks, external bytes
 * @param peakBytes the most that was in use
 * @param committedBytes of the pages that are taken
 * @param maxBytes the limit, {@code memory.max}
 * @param liveAfterBytes in use after the last collection
 * @param externalBytes reserved for memory outside of the heap
 * @param allocatedBytes of elements, since the heap was opened
 * @param allocatedElements strings included
 * @param liveElements elements but strings
 * @param strings interned strings
 * @param liveByKind in the order of {@link Kind}; {@link #live} reads one
 * @param reclaimedBytes of elements and what they owned
 * @param reclaimedElements strings included
 * @param finalizersRun calls of finalizers
 * @param finalizersRescued elements that could be reached again after their finalizer had run
 * @param finalizersFailed calls that threw
 * @param weakCleared weak references cleared
 * @param pauseNanos all pauses together
 * @param steps slices of incremental collections
 * @param frameDepth frames of the current thread
 * @param refzeroElements reclaimed by counting, outside of collections
 * @param leakedElements that nothing reaches and no collection reclaims, as of the last collection
 *     or {@link HeapInspection#findLeaks}; 0 under a collector that reclaims loops
 * @param movedElements copied to another place; -1 under a collector that does not move any, or
 *     does not count them
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
   * Answers the number of elements of a kind.
   *
   * @param kind any but string
   * @return elements of that kind
   */
  @SuppressWarnings("EnumOrdinal")
  public long live(Kind kind) {
    return liveByKind[kind.ordinal()];
  }

  /** {@return in a line what matters most, with the elements by their kind} */
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
