package dev.gleaner.lab.measure;

/**
 * What was recorded of a run beside its figures, for charts.
 *
 * @param memory in use over time
 * @param pauses all of them
 */
public record ChartData(Timeline memory, PauseHistogram pauses) {
  /** Nothing was recorded. */
  public static final ChartData NONE = new ChartData(Timeline.NONE, PauseHistogram.NONE);
}
