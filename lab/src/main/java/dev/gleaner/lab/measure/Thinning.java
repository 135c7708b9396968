package dev.gleaner.lab.measure;

import dev.gleaner.lab.measure.Timeline.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Keeps so many samples that they suffice for a picture, however long a run takes: of each of
 * {@link #SPANS} equal spans of time the lowest and the highest. When time runs past the last span,
 * spans are joined by twos and are twice as long. So every part of the run is shown as finely as
 * any other, and no peak is lost.
 *
 * <pre>
 *   | lowest, highest | lowest, highest |   …   |      span
 *   |          lowest, highest          |   …   |      span * 2
 * </pre>
 *
 * <p>Samples may come in any order of time.
 */
final class Thinning {
  static final int SPANS = 240;
  private static final long FIRST_SPAN_NANOS = 1_000_000;

  private final Sample[] lowest = new Sample[SPANS];
  private final Sample[] highest = new Sample[SPANS];
  private long spanNanos = FIRST_SPAN_NANOS;

  void add(long nanos, long bytes) {
    if (nanos < 0) {
      return;
    }
    while (nanos / spanNanos >= SPANS) {
      join();
    }
    add((int) (nanos / spanNanos), new Sample(nanos, bytes));
  }

  /** Returns how long a span is, in nanoseconds. */
  long spanNanos() {
    return spanNanos;
  }

  Timeline timeline() {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < SPANS; i++) {
      if (lowest[i] != null) {
        samples.add(lowest[i]);
        if (!highest[i].equals(lowest[i])) {
          samples.add(highest[i]);
        }
      }
    }
    samples.sort(Comparator.comparingLong(Sample::nanos));
    return new Timeline(samples);
  }

  private void add(int span, Sample sample) {
    if (lowest[span] == null || sample.bytes() < lowest[span].bytes()) {
      lowest[span] = sample;
    }
    if (highest[span] == null || sample.bytes() > highest[span].bytes()) {
      highest[span] = sample;
    }
  }

  private void join() {
    Timeline kept = timeline();
    spanNanos *= 2;
    Arrays.fill(lowest, null);
    Arrays.fill(highest, null);
    kept.samples().forEach(sample -> add((int) (sample.nanos() / spanNanos), sample));
  }
}
