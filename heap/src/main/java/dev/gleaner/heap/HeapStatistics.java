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
   * What becomes of a figure when its heap is closed, and where several heaps are counted as one.
   */
  private enum Rule {
    /** Kept; the sum. A heap that does not count has -1, which adds nothing. */
    COUNT,
    /** Kept; the largest. */
    PEAK,
    /** 0; the sum. */
    NOW,
    /** 0; the largest. */
    DEPTH,
    /** Kept by the closed heap; the sum over those that are open. */
    LAST;

    boolean endsAtClose() {
      return this == NOW || this == DEPTH;
    }

    long join(long a, long b) {
      return this == PEAK || this == DEPTH ? Math.max(a, b) : Math.max(0, a) + Math.max(0, b);
    }
  }

  /** The figures in the order of the components. */
  private enum Figure {
    COLLECTIONS(Rule.COUNT),
    EMERGENCIES(Rule.COUNT),
    EXPLICIT_COLLECTIONS(Rule.COUNT),
    USED_BYTES(Rule.NOW),
    PEAK_BYTES(Rule.PEAK),
    COMMITTED_BYTES(Rule.NOW),
    MAX_BYTES(Rule.LAST),
    LIVE_AFTER_BYTES(Rule.LAST),
    EXTERNAL_BYTES(Rule.NOW),
    ALLOCATED_BYTES(Rule.COUNT),
    ALLOCATED_ELEMENTS(Rule.COUNT),
    LIVE_ELEMENTS(Rule.NOW),
    STRINGS(Rule.NOW),
    RECLAIMED_BYTES(Rule.COUNT),
    RECLAIMED_ELEMENTS(Rule.COUNT),
    FINALIZERS_RUN(Rule.COUNT),
    FINALIZERS_RESCUED(Rule.COUNT),
    FINALIZERS_FAILED(Rule.COUNT),
    WEAK_CLEARED(Rule.COUNT),
    PAUSE_NANOS(Rule.COUNT),
    STEPS(Rule.COUNT),
    FRAME_DEPTH(Rule.DEPTH),
    REFZERO_ELEMENTS(Rule.COUNT),
    LEAKED_ELEMENTS(Rule.LAST),
    MOVED_ELEMENTS(Rule.COUNT),
    CALLBACKS_FAILED(Rule.COUNT);

    private final Rule rule;

    Figure(Rule rule) {
      this.rule = rule;
    }
  }

  private static final Figure[] FIGURES = Figure.values();

  /** The figures of no heap: all 0. */
  public static final HeapStatistics NONE =
      of(new long[FIGURES.length], new long[Kind.values().length]);

  private static HeapStatistics of(long[] f, long[] liveByKind) {
    return new HeapStatistics(
        f[0],
        f[1],
        f[2],
        f[3],
        f[4],
        f[5],
        f[6],
        f[7],
        f[8],
        f[9],
        f[10],
        f[11],
        f[12],
        liveByKind,
        f[13],
        f[14],
        f[15],
        f[16],
        f[17],
        f[18],
        f[19],
        f[20],
        f[21],
        f[22],
        f[23],
        f[24],
        f[25]);
  }

  private long[] figures() {
    return new long[] {
      collections,
      emergencies,
      explicitCollections,
      usedBytes,
      peakBytes,
      committedBytes,
      maxBytes,
      liveAfterBytes,
      externalBytes,
      allocatedBytes,
      allocatedElements,
      liveElements,
      strings,
      reclaimedBytes,
      reclaimedElements,
      finalizersRun,
      finalizersRescued,
      finalizersFailed,
      weakCleared,
      pauseNanos,
      steps,
      frameDepth,
      refzeroElements,
      leakedElements,
      movedElements,
      callbacksFailed
    };
  }

  /**
   * Returns the figures of several heaps as those of one. The peak and the depth are those of the
   * heap that has the most; all else is a sum.
   *
   * @param other the figures of other heaps
   * @return the figures of all
   */
  public HeapStatistics plus(HeapStatistics other) {
    long[] sum = figures();
    long[] others = other.figures();
    for (int i = 0; i < sum.length; i++) {
      sum[i] = FIGURES[i].rule.join(sum[i], others[i]);
    }
    long[] byKind = liveByKind.clone();
    for (int i = 0; i < byKind.length; i++) {
      byKind[i] += other.liveByKind[i];
    }
    return of(sum, byKind);
  }

  /**
   * {@return what counts of a heap that is gone, where heaps are added: what it did, and its peak}
   * All of its elements are reclaimed.
   */
  public HeapStatistics past() {
    return without(true);
  }

  /** Returns the figures when the heap is closed. All of its elements are reclaimed. */
  HeapStatistics closed() {
    return without(false);
  }

  private HeapStatistics without(boolean last) {
    long[] left = figures();
    for (int i = 0; i < left.length; i++) {
      left[i] =
          switch (FIGURES[i]) {
            case RECLAIMED_BYTES -> reclaimedBytes + usedBytes - externalBytes;
            case RECLAIMED_ELEMENTS -> allocatedElements;
            default -> ends(FIGURES[i].rule, last) ? 0 : left[i];
          };
    }
    return of(left, new long[liveByKind.length]);
  }

  private static boolean ends(Rule rule, boolean last) {
    return rule.endsAtClose() || (last && rule == Rule.LAST);
  }

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
