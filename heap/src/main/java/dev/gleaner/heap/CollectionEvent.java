package dev.gleaner.heap;

import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.util.Locale;

/**
 * A collection, or a slice of an incremental one.
 *
 * @param heap the heap's name
 * @param collector the collector's name
 * @param cause why
 * @param mode how much of a collection this is
 * @param collectionFinished false for a slice that leaves work
 * @param startNanos {@link System#nanoTime} at the start
 * @param pauseNanos how long the mutator stood still, finalizers not included
 * @param usedBefore bytes in use before
 * @param usedAfter bytes in use after
 * @param reclaimedBytes bytes of elements and what they owned
 * @param reclaimedElements elements, strings included
 * @param flags the effective {@link CollectFlags}
 */
public record CollectionEvent(
    String heap,
    String collector,
    Cause cause,
    Mode mode,
    boolean collectionFinished,
    long startNanos,
    long pauseNanos,
    long usedBefore,
    long usedAfter,
    long reclaimedBytes,
    long reclaimedElements,
    int flags) {

  /** How much of a collection an event tells of. */
  public enum Mode {
    /** All of one. */
    FULL,
    /** One of young elements. */
    MINOR,
    /** A slice of an incremental one. */
    SLICE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** {@return the word of meters and reports, such as {@code full}} */
    public String text() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
