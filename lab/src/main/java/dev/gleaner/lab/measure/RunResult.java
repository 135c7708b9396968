package dev.gleaner.lab.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one run found. A figure that there is none of, such as the finalizers of the JVM baseline,
 * is absent.
 *
 * <p>Travels from the worker to the front end as fields {@code name=value}, which must hold neither
 * tabs nor line ends.
 *
 * @param status {@link #OK}, {@link #OUT_OF_MEMORY}, {@link #LEAKED}, or {@code failed:} and the
 *     reason
 * @param checksum what the workload returned; null if it did not
 * @param figures the figures that there are
 * @param extras figures of the workload's own, in its order
 * @param recording what charts are drawn from
 */
public record RunResult(
    String status,
    @Nullable Long checksum,
    Map<Figure, Double> figures,
    Map<String, Double> extras,
    ChartData recording) {
  /** The run did what it should. */
  public static final String OK = "ok";

  /** The heap's limit was too small. */
  public static final String OUT_OF_MEMORY = "out-of-memory";

  /** The collector cannot reclaim cycles, and elements are left that nothing refers to. */
  public static final String LEAKED = "leaked";

  private static final String FAILED = "failed: ";
  private static final String WORKER_ENDED = "the worker ended with status ";
  private static final String EXTRA = "extra.";
  private static final String MEMORY = "memory";
  private static final String PAUSES = "pauses";

  /** Copies both maps. */
  public RunResult {
    Map<Figure, Double> copy = new EnumMap<>(Figure.class);
    copy.putAll(figures);
    figures = Collections.unmodifiableMap(copy);
    extras = Collections.unmodifiableMap(new LinkedHashMap<>(extras));
    status = status.replaceAll("\\s+", " ").strip();
  }

  /** Makes one of which nothing was recorded. */
  public RunResult(
      String status,
      @Nullable Long checksum,
      Map<Figure, Double> figures,
      Map<String, Double> extras) {
    this(status, checksum, figures, extras, ChartData.NONE);
  }

  /** Returns the same with no checksum. */
  public RunResult withoutChecksum() {
    return new RunResult(status, null, figures, extras, recording);
  }

  /** Returns a run that broke off, with no figures. */
  public static RunResult failed(String reason) {
    return new RunResult(FAILED + reason, null, Map.of(), Map.of());
  }

  /** Returns the run that a worker still owed when it ended. */
  public static RunResult lost(int exitStatus) {
    return failed(WORKER_ENDED + exitStatus);
  }

  /** Returns whether the worker ended before, as by a signal: a run that another try may have. */
  public boolean isLost() {
    return status.startsWith(FAILED + WORKER_ENDED);
  }

  /** Returns whether the status is {@link #OK}. */
  public boolean ok() {
    return status.equals(OK);
  }

  /** Returns a figure, or null if there is none. */
  public @Nullable Double figure(Figure figure) {
    return figures.get(figure);
  }

  /** Returns the fields that a worker writes; {@link #ofFields} reads them. */
  public List<String> toFields() {
    List<String> fields = new ArrayList<>();
    fields.add("status=" + status);
    if (checksum != null) {
      fields.add("checksum=" + checksum);
    }
    figures.forEach((figure, value) -> fields.add(figure.key() + "=" + value));
    extras.forEach((name, value) -> fields.add(EXTRA + name + "=" + value));
    if (!recording.memory().samples().isEmpty()) {
      fields.add(MEMORY + "=" + recording.memory().toText());
    }
    if (recording.pauses().count() > 0) {
      fields.add(PAUSES + "=" + recording.pauses().toText());
    }
    return fields;
  }

  /**
   * Reads fields.
   *
   * @throws IllegalArgumentException if they are none
   */
  public static RunResult ofFields(List<String> fields) {
    String status = "failed: no status";
    Long checksum = null;
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    Map<String, Double> extras = new LinkedHashMap<>();
    Timeline memory = Timeline.NONE;
    PauseHistogram pauses = PauseHistogram.NONE;
    for (String field : fields) {
      int equals = field.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("not name=value: " + field);
      }
      String name = field.substring(0, equals);
      String value = field.substring(equals + 1);
      if (name.equals("status")) {
        status = value;
      } else if (name.equals("checksum")) {
        checksum = Long.valueOf(value);
      } else if (name.equals(MEMORY)) {
        memory = Timeline.ofText(value);
      } else if (name.equals(PAUSES)) {
        pauses = PauseHistogram.ofText(value);
      } else if (name.startsWith(EXTRA)) {
        extras.put(name.substring(EXTRA.length()), Double.valueOf(value));
      } else {
        figures.put(figure(name), Double.valueOf(value));
      }
    }
    return new RunResult(status, checksum, figures, extras, new ChartData(memory, pauses));
  }

  private static Figure figure(String key) {
    for (Figure figure : Figure.values()) {
      if (figure.key().equals(key)) {
        return figure;
      }
    }
    throw new IllegalArgumentException("no such figure: " + key);
  }
}
