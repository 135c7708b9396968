package dev.gleaner.lab.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Memory in use over the time of one run, in the order of time: measured, not computed.
 *
 * @param samples empty if nothing was measured
 */
public record Timeline(List<Sample> samples) {
  /** Nothing was measured. */
  public static final Timeline NONE = new Timeline(List.of());

  /**
   * Bytes in use at one moment.
   *
   * @param nanos since the workload's heap was opened, or since a baseline started
   */
  public record Sample(long nanos, long bytes) {
    /** Returns when it was taken, in seconds. */
    public double seconds() {
      return nanos / 1e9;
    }
  }

  /** Copies. */
  public Timeline {
    samples = List.copyOf(samples);
  }

  /** Returns this with no sample above a limit, which one read during a change may exceed. */
  Timeline atMost(long bytes) {
    return new Timeline(
        samples.stream().map(s -> new Sample(s.nanos, Math.min(s.bytes, bytes))).toList());
  }

  /** Returns {@code nanos:bytes}, parted by commas. */
  String toText() {
    return samples.stream().map(s -> s.nanos + ":" + s.bytes).collect(Collectors.joining(","));
  }

  /**
   * Reads what {@link #toText} wrote.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Timeline ofText(String text) {
    List<Sample> samples = new ArrayList<>();
    for (String sample : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int colon = sample.indexOf(':');
      if (colon < 0) {
        throw new IllegalArgumentException("no sample: " + sample);
      }
      samples.add(
          new Sample(
              Long.parseLong(sample.substring(0, colon)),
              Long.parseLong(sample.substring(colon + 1))));
    }
    return new Timeline(samples);
  }
}
