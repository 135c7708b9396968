package dev.gleaner.lab.measure;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line on a worker's standard output, fields parted by tabs:
 *
 * <pre>
 * #gleaner progress FRACTION                     how much of the run is done, 0 to 1
 * #gleaner run      NUMBER   name=value …        a run is over; see {@link RunResult}
 * #gleaner end                                   all runs are over; a worker without it crashed
 * </pre>
 *
 * <p>Any other line is not of this protocol: something in the worker's JVM printed it.
 */
public sealed interface Message {
  /** Says how much of the run is done, from 0 to 1. */
  record Progress(double fraction) implements Message {}

  /**
   * Says what a run found.
   *
   * @param number from 1; 0 for one that only warms up
   */
  record Ran(int number, RunResult result) implements Message {}

  /** Says that nothing more follows. */
  record End() implements Message {}

  /** The first field of every line. */
  String MARK = "#gleaner";

  /** Returns the line, without its end. */
  default String toLine() {
    String rest =
        switch (this) {
          case Progress p -> "progress\t" + p.fraction();
          case Ran r -> "run\t" + r.number() + "\t" + String.join("\t", r.result().toFields());
          case End _ -> "end";
        };
    return MARK + "\t" + rest;
  }

  /**
   * Reads a line; returns null if it is none of this protocol.
   *
   * @throws IllegalArgumentException if it is one that cannot be read
   */
  static @Nullable Message ofLine(String line) {
    List<String> fields = Arrays.asList(line.split("\t", -1));
    if (!fields.getFirst().equals(MARK) || fields.size() < 2) {
      return null;
    }
    return switch (fields.get(1)) {
      case "progress" -> new Progress(Double.parseDouble(fields.get(2)));
      case "run" ->
          new Ran(
              Integer.parseInt(fields.get(2)),
              RunResult.ofFields(fields.subList(3, fields.size())));
      case "end" -> new End();
      default -> throw new IllegalArgumentException("no such message: " + line);
    };
  }
}
