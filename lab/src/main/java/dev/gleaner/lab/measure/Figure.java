package dev.gleaner.lab.measure;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a run, in the order of reports. Their keys are those of the CSV header and of the
 * worker's lines; in JSON the pauses are one object.
 */
public enum Figure {
  /** Wall time of the workload and its collections. */
  SECONDS(false),
  /** CPU time of all threads of the JVM, compilation included, while the workload ran. */
  CPU_SECONDS(false),
  /** CPU time of the JVM from its start to the end of the run. */
  PROCESS_CPU_SECONDS(false),
  /** Bytes allocated, whatever became of them. */
  ALLOCATED_BYTES(true),
  /** Elements allocated, strings included. */
  ALLOCATED_ELEMENTS(true),
  /** Finished collections. */
  COLLECTIONS(true),
  /** All pauses together. */
  PAUSE_SECONDS_TOTAL(false),
  /** Half of the pauses are not longer. */
  PAUSE_SECONDS_P50(false),
  /** Of 100 pauses 99 are not longer. */
  PAUSE_SECONDS_P99(false),
  /** The longest pause. */
  PAUSE_SECONDS_MAX(false),
  /** The most bytes that were in use at once. */
  PEAK_USED_BYTES(true),
  /**
   * Bytes in use divided by the elements there, when the workload had built what lives; without
   * those of an empty heap, and without what the workload leaves out.
   */
  BYTES_PER_ELEMENT(false),
  /** Elements reclaimed while the workload ran. */
  RECLAIMED_ELEMENTS(true),
  /** Elements copied to another place; of collectors that move. */
  MOVED_ELEMENTS(true),
  /** Elements left when all roots are dropped and everything that can be is collected. */
  LIVE_ELEMENTS_AT_END(true),
  /** Finalizers run while the workload ran. */
  FINALIZERS_RUN(true);

  private static final String PAUSE = "pause_seconds_";

  private final String key = name().toLowerCase(Locale.ROOT);
  private final boolean whole;

  Figure(boolean whole) {
    this.whole = whole;
  }

  /** Returns the key, such as {@code cpu_seconds}. */
  public String key() {
    return key;
  }

  /** Returns whether this is a count of things or bytes. */
  public boolean whole() {
    return whole;
  }

  /** Returns the key inside the JSON object of the pauses, or null if this is not of them. */
  public @Nullable String pauseKey() {
    return key.startsWith(PAUSE) ? key.substring(PAUSE.length()) : null;
  }
}
