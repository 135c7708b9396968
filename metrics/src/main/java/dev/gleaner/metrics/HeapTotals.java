package dev.gleaner.metrics;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;

/**
 * The figures of many heaps as those of one. Counters are sums over all heaps that were ever
 * opened; what is there now is a sum over those that are open. The peak and the depth are those of
 * the heap that has the most.
 *
 * <p>A heap that is closed is counted in {@link #past}, and forgotten. So is one that is dropped
 * without being closed, as it was last read: what leads to it here is weak.
 */
final class HeapTotals {
  /** A scrape reads some thirty meters: they share a sum. */
  private static final long FRESH_NANOS = 20_000_000;

  private static final HeapStatistics NONE =
      new HeapStatistics(
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          new long[Kind.values().length],
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0);

  /** A heap that was not closed when it was last looked at, and what it said then. */
  private static final class Open {
    final WeakReference<Heap> heap;
    HeapStatistics figures;

    Open(Heap heap) {
      this.heap = new WeakReference<>(heap);
      this.figures = heap.snapshot();
    }

    /** Reads the heap if it is still there; returns whether it is open. */
    boolean read() {
      Heap there = heap.get();
      if (there == null) {
        return false;
      }
      boolean closed = there.isClosed();
      figures = there.snapshot();
      return !closed;
    }
  }

  private final Set<Open> open = new HashSet<>();
  private final Map<Heap, Open> byHeap = new WeakHashMap<>();
  private HeapStatistics past = NONE;
  private HeapStatistics sum = NONE;
  private final LongSupplier nanoTime;
  private long summedAt;
  private long opened;

  /**
   * Makes it, without heaps.
   *
   * @param nanoTime as {@link System#nanoTime}
   */
  HeapTotals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    forget();
  }

  synchronized void add(Heap heap) {
    Open added = new Open(heap);
    open.add(added);
    byHeap.put(heap, added);
    opened++;
    forget();
  }

  /** Keeps what a heap has counted, when it is closed. */
  synchronized void remove(Heap heap) {
    Open known = byHeap.remove(heap);
    if (known != null && open.remove(known)) {
      past = plus(past, counters(heap.snapshot()));
      forget();
    }
  }

  private void forget() {
    summedAt = nanoTime.getAsLong() - FRESH_NANOS;
  }

  synchronized long open() {
    HeapStatistics _ = statistics(); // forgets those that were closed and did not tell
    return open.size();
  }

  synchronized long opened() {
    return opened;
  }

  synchronized HeapStatistics statistics() {
    long now = nanoTime.getAsLong();
    if (now - summedAt >= FRESH_NANOS) {
      sum = NONE;
      open.removeIf(this::addOrPass);
      sum = plus(sum, past);
      summedAt = now;
    }
    return sum;
  }

  /** Adds an open heap to the sum, or what is gone to the past; true if it is gone. */
  private boolean addOrPass(Open heap) {
    boolean isOpen = heap.read();
    if (isOpen) {
      sum = plus(sum, heap.figures);
    } else {
      past = plus(past, counters(heap.figures));
    }
    return !isOpen;
  }

  /** What is left of a heap's figures when it is closed; all of its elements are reclaimed then. */
  private static HeapStatistics counters(HeapStatistics s) {
    return new HeapStatistics(
        s.collections(),
        s.emergencies(),
        s.explicitCollections(),
        0,
        s.peakBytes(),
        0,
        0,
        0,
        0,
        s.allocatedBytes(),
        s.allocatedElements(),
        0,
        0,
        new long[Kind.values().length],
        s.reclaimedBytes() + s.usedBytes() - s.externalBytes(),
        s.allocatedElements(),
        s.finalizersRun(),
        s.finalizersRescued(),
        s.finalizersFailed(),
        s.weakCleared(),
        s.pauseNanos(),
        s.steps(),
        0,
        s.refzeroElements(),
        0,
        Math.max(0, s.movedElements()),
        s.callbacksFailed());
  }

  private static HeapStatistics plus(HeapStatistics a, HeapStatistics b) {
    return new HeapStatistics(
        a.collections() + b.collections(),
        a.emergencies() + b.emergencies(),
        a.explicitCollections() + b.explicitCollections(),
        a.usedBytes() + b.usedBytes(),
        Math.max(a.peakBytes(), b.peakBytes()),
        a.committedBytes() + b.committedBytes(),
        a.maxBytes() + b.maxBytes(),
        a.liveAfterBytes() + b.liveAfterBytes(),
        a.externalBytes() + b.externalBytes(),
        a.allocatedBytes() + b.allocatedBytes(),
        a.allocatedElements() + b.allocatedElements(),
        a.liveElements() + b.liveElements(),
        a.strings() + b.strings(),
        plus(a.liveByKind(), b.liveByKind()),
        a.reclaimedBytes() + b.reclaimedBytes(),
        a.reclaimedElements() + b.reclaimedElements(),
        a.finalizersRun() + b.finalizersRun(),
        a.finalizersRescued() + b.finalizersRescued(),
        a.finalizersFailed() + b.finalizersFailed(),
        a.weakCleared() + b.weakCleared(),
        a.pauseNanos() + b.pauseNanos(),
        a.steps() + b.steps(),
        Math.max(a.frameDepth(), b.frameDepth()),
        a.refzeroElements() + b.refzeroElements(),
        a.leakedElements() + b.leakedElements(),
        a.movedElements() + Math.max(0, b.movedElements()),
        a.callbacksFailed() + b.callbacksFailed());
  }

  private static long[] plus(long[] a, long[] b) {
    long[] sum = a.clone();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += b[i];
    }
    return sum;
  }
}
