package dev.gleaner.lab.serve;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures since the start, however long ago that is: a page that is opened late shows them all.
 *
 * <p>It keeps {@link #KEPT} samples at most. When there are as many, two neighbours become one, and
 * samples come half as often from then on: the later one, since most figures are counters, with the
 * higher memory in use of both, so that no peak is lost.
 */
final class LiveHistory {
  static final int KEPT = 600;

  /** What a sample has of each subject, in this order. */
  static final List<String> FIGURES =
      List.of("used_bytes", "max_bytes", "pause_seconds", "collections", "allocated_bytes");

  private static final int USED = 0;

  /**
   * A sample.
   *
   * @param seconds since the start
   * @param figures of each subject, as {@link #FIGURES}; a subject that came later is not there
   */
  record Sample(double seconds, List<List<@Nullable Double>> figures) {
    Sample joined(Sample later) {
      List<List<@Nullable Double>> joined = new ArrayList<>();
      for (int i = 0; i < later.figures.size(); i++) {
        List<@Nullable Double> figure = new ArrayList<>(later.figures.get(i));
        if (i < figures.size()) {
          figure.set(USED, highest(figures.get(i).get(USED), figure.get(USED)));
        }
        joined.add(figure);
      }
      return new Sample(later.seconds, joined);
    }

    private static @Nullable Double highest(@Nullable Double a, @Nullable Double b) {
      if (a == null || b == null) {
        return a == null ? b : a;
      }
      return Math.max(a, b);
    }
  }

  private final List<Sample> samples = new ArrayList<>();
  private int every = 1;
  private @Nullable Sample waiting;
  private int waited;

  /** Adds a sample; they come at equal times. */
  synchronized void add(Sample sample) {
    waiting = waiting == null ? sample : waiting.joined(sample);
    if (++waited < every) {
      return;
    }
    samples.add(waiting);
    waiting = null;
    waited = 0;
    if (samples.size() == KEPT) {
      for (int i = 0; i < KEPT / 2; i++) {
        samples.set(i, samples.get(2 * i).joined(samples.get(2 * i + 1)));
      }
      samples.subList(KEPT / 2, KEPT).clear();
      every *= 2;
    }
  }

  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }
}
