package dev.gleaner.lab.measure;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The pauses of one heap, all of them, for percentiles.
 *
 * <p>The pause timer of the meters answers how many and how long together. Its maximum, and any
 * percentile that Micrometer would compute, are those of the last minutes only, and of one cause
 * and mode each; so every pause is recorded here too, from 1 ns to an hour, to three significant
 * digits. A slice of an incremental collection is a pause of its own.
 */
final class Pauses implements HeapListener {
  static final long LONGEST_NANOS = 3_600_000_000_000L;

  private final Histogram nanos = histogram();
  private long longest;

  static Histogram histogram() {
    return new Histogram(LONGEST_NANOS, 3);
  }

  /** Returns those until now. */
  PauseHistogram recorded() {
    return new PauseHistogram(nanos, longest);
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    record(event.pauseNanos());
  }

  @Override
  public void paused(CollectionEvent event) {
    record(event.pauseNanos());
  }

  void record(long pauseNanos) {
    nanos.recordValue(Math.min(pauseNanos, LONGEST_NANOS));
    longest = Math.max(longest, pauseNanos);
  }

  /** Puts the percentiles and the longest; nothing if there was no pause. */
  void putInto(Map<Figure, Double> figures) {
    if (nanos.getTotalCount() > 0) {
      figures.put(Figure.PAUSE_SECONDS_P50, percentileSeconds(50));
      figures.put(Figure.PAUSE_SECONDS_P99, percentileSeconds(99));
      figures.put(Figure.PAUSE_SECONDS_MAX, longest / 1e9);
    }
  }

  private double percentileSeconds(double percent) {
    return Math.min(nanos.getValueAtPercentile(percent), longest) / 1e9;
  }
}
