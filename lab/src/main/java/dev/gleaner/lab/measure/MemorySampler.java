package dev.gleaner.lab.measure;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lab.measure.Timeline.Sample;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Records the memory in use while a workload runs: before and after every collection, as the heap's
 * listener is told, and in between by a thread that looks up to two hundred times a second at
 * first, more and more rarely as the run gets long, and so rarely that it takes little of a
 * processor.
 *
 * <p>What that thread reads during a collection says little, since bytes are counted while they are
 * moved and freed; and that a collection is under way is known only when it is over. So its samples
 * wait until the next collection, and those from inside it are dropped:
 *
 * <pre>
 *   samples          x     x     x     x     x     x
 *   collection                  |-----------|
 *   recorded         x     x    X           X      x
 * </pre>
 */
final class MemorySampler implements HeapListener {
  private static final long SHORTEST_NANOS = 5_000_000;

  /** Samples to a span of the picture, once spans are long. */
  private static final int PER_SPAN = 2;

  private static final int MOST_WAITING = 256;

  /** A look may take one part in so many of the time until the next. */
  private static final int SHARE = 250;

  private final LongSupplier usedBytes;
  private final Thinning samples = new Thinning();
  private final Deque<Sample> waiting = new ArrayDeque<>();
  private final Thread thread = new Thread(this::look, "memory-sampler");
  private final long startNanos;
  private long cost;
  private volatile boolean stopped;

  /** Starts to look at what is in use; the supplier is called on a thread of its own. */
  MemorySampler(LongSupplier usedBytes) {
    this.usedBytes = usedBytes;
    this.startNanos = System.nanoTime();
    add(System.nanoTime(), usedBytes.getAsLong());
    thread.setDaemon(true);
    thread.start();
  }

  private void look() {
    while (!stopped) {
      LockSupport.parkNanos(this, sample());
    }
  }

  /** Takes a sample; returns the time until the next one. */
  private synchronized long sample() {
    if (waiting.size() == MOST_WAITING) {
      record(waiting.removeFirst());
    }
    long now = System.nanoTime();
    waiting.addLast(new Sample(now - startNanos, usedBytes.getAsLong()));
    // One look that was interrupted says nothing of the next one.
    cost = Math.min(System.nanoTime() - now, 2 * cost + SHORTEST_NANOS / SHARE);
    return Math.max(Math.max(SHORTEST_NANOS, cost * SHARE), samples.spanNanos() / PER_SPAN);
  }

  @Override
  public synchronized void collectionFinished(CollectionEvent event) {
    long start = event.startNanos() - startNanos;
    while (!waiting.isEmpty()) {
      Sample sample = waiting.removeFirst();
      if (sample.nanos() < start || sample.nanos() > start + event.pauseNanos()) {
        record(sample);
      }
    }
    record(new Sample(start, event.usedBefore()));
    record(new Sample(start + event.pauseNanos(), event.usedAfter()));
  }

  /** Adds a sample that was taken by other means, at a {@link System#nanoTime}. */
  synchronized void add(long systemNanos, long bytes) {
    record(new Sample(systemNanos - startNanos, bytes));
  }

  private void record(Sample sample) {
    samples.add(sample.nanos(), sample.bytes());
  }

  /** Takes a last sample and stops looking; when it returns the supplier is asked no more. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    add(System.nanoTime(), usedBytes.getAsLong());
  }

  /** Returns what was recorded. */
  synchronized Timeline timeline() {
    while (!waiting.isEmpty()) {
      record(waiting.removeFirst());
    }
    return samples.timeline();
  }
}
