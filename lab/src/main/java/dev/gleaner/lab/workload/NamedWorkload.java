package dev.gleaner.lab.workload;

import java.util.Map;

/** A workload that is always the same: its name, its summary and its parameters are given once. */
abstract class NamedWorkload implements Workload {
  /** Steps a frame, so that a collector that frees by frames can. */
  private static final int BATCH = 10_000;

  private final String name;
  private final String summary;
  private final Map<String, String> defaults;

  NamedWorkload(String name, String summary, Map<String, String> defaults) {
    this.name = name;
    this.summary = summary;
    this.defaults = defaults;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String summary() {
    return summary;
  }

  @Override
  public final Map<String, String> defaults() {
    return defaults;
  }

  /** Some steps of a run. */
  interface Steps {
    long run(int from, int count);
  }

  /**
   * Runs n steps in batches, each of which is to have a frame; returns the sum of their results.
   */
  static long inBatches(Run run, int n, Steps steps) {
    long sum = 0;
    for (long from = 0; from < n; from += BATCH) {
      sum += steps.run((int) from, (int) Math.min(BATCH, n - from));
      run.progress((double) from / n);
    }
    return sum;
  }
}
