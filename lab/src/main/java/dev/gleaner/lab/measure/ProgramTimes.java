package dev.gleaner.lab.measure;

import java.util.List;

/**
 * What some runs of a program took in one process.
 *
 * @param program its name
 * @param by who ran it: a collector, or another implementation of the language
 * @param seconds CPU time of each run, the first one in a fresh process
 * @param checksum that of what it printed
 * @param failure why there are no runs, or no more; empty if all went well
 */
public record ProgramTimes(
    String program, String by, List<Double> seconds, long checksum, String failure) {
  /** Copies. */
  public ProgramTimes {
    seconds = List.copyOf(seconds);
  }

  /** Makes one without runs. */
  public static ProgramTimes failed(String program, String by, String why) {
    return new ProgramTimes(program, by, List.of(), 0, why);
  }

  /** Returns whether there are runs, and none failed. */
  public boolean ok() {
    return failure.isEmpty() && !seconds.isEmpty();
  }

  /** Returns the time of the first run; not a number if there is none. */
  public double first() {
    return seconds.isEmpty() ? Double.NaN : seconds.getFirst();
  }

  /** Returns the shortest time; not a number if there is none. */
  public double best() {
    return seconds.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }
}
