package dev.gleaner.metrics;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
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
  private HeapStatistics past = HeapStatistics.NONE;
  private HeapStatistics sum = HeapStatistics.NONE;
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
      past = past.plus(heap.snapshot().past());
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
      sum = HeapStatistics.NONE;
      open.removeIf(this::addOrPass);
      sum = sum.plus(past);
      summedAt = now;
    }
    return sum;
  }

  /** Adds an open heap to the sum, or what is gone to the past; true if it is gone. */
  private boolean addOrPass(Open heap) {
    boolean isOpen = heap.read();
    if (isOpen) {
      sum = sum.plus(heap.figures);
    } else {
      past = past.plus(heap.figures.past());
    }
    return !isOpen;
  }
}
