package dev.gleaner.lab.measure;

import dev.gleaner.lab.measure.Timeline.Sample;
import java.util.ArrayList;
import java.util.List;

/** Recordings that no worker made. */
public final class Recordings {
  private Recordings() {}

  /** Returns memory that grows from a third of the peak to all of it between collections. */
  public static ChartData sawTooth(double seconds, long peak, int collections) {
    List<Sample> samples = new ArrayList<>();
    Pauses pauses = new Pauses();
    samples.add(new Sample(0, 0));
    for (int i = 1; i <= collections; i++) {
      long nanos = (long) (seconds * 1e9 * i / (collections + 1));
      samples.add(new Sample(nanos, peak));
      samples.add(new Sample(nanos + 1000, peak / 3));
      pauses.record(100_000L * i * i);
    }
    return new ChartData(new Timeline(samples), pauses.recorded());
  }
}
