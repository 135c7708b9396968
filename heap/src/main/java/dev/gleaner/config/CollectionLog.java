package dev.gleaner.config;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import java.util.Locale;

/**
 * Prints a line for each collection and each slice to the standard error, as {@code -Xlog:gc} of
 * the JVM does. For {@code gleaner.log = gc}.
 *
 * <pre>
 *   [0.412s][gc] heap-1 (marksweep) GC(3) full, voluntary: 81920K->20480K(262144K) 12.345ms
 *   [0.981s][gc] heap-2 (hybrid) drop: 81920K->20480K(262144K) 12.345ms
 * </pre>
 */
final class CollectionLog implements HeapListener {
  /** What {@code gleaner.log} can be. */
  enum Log {
    OFF,
    GC
  }

  private static final int KIB = 1024;
  private static final double SECOND = 1e9;
  private static final double MILLISECOND = 1e6;

  private final long max;
  private final long opened = System.nanoTime();

  /** Collections that are over. Slices have the number of the collection that they belong to. */
  private long collections;

  /**
   * Makes the listener of a heap that is opened now.
   *
   * @param max the limit of the heap in bytes
   */
  CollectionLog(long max) {
    this.max = max;
  }

  @Override
  public void collectionFinished(CollectionEvent e) {
    String phase = e.phase().isEmpty() ? "" : ", " + e.phase();
    print(e, "GC(" + collections + ") " + e.mode() + phase + ", " + e.cause());
    if (e.collectionFinished()) {
      collections++;
    }
  }

  @Override
  public void paused(CollectionEvent e) {
    print(e, e.mode().text());
  }

  private void print(CollectionEvent e, String what) {
    System.err.println(
        String.format(
            Locale.ROOT,
            "[%.3fs][gc] %s (%s) %s: %dK->%dK(%dK) %.3fms",
            (e.startNanos() + e.pauseNanos() - opened) / SECOND,
            e.heap(),
            e.collector(),
            what,
            e.usedBefore() / KIB,
            e.usedAfter() / KIB,
            max / KIB,
            e.pauseNanos() / MILLISECOND));
  }
}
