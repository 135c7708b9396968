package dev.gleaner.heap;

import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.util.Locale;

/**
 * A collection, a slice of an incremental collection, or another stop of the program.
 *
 * @param heap the heap's name
 * @param collector the collector's name
 * @param cause the reason for the collection
 * @param mode the extent of the collection
 * @param collectionFinished false if a slice leaves work for the next slice
 * @param startNanos {@link System#nanoTime} at the start
 * @param pauseNanos the pause of the program, without finalizers
 * @param usedBefore bytes in use before
 * @param usedAfter bytes in use after
 * @param reclaimedBytes bytes of reclaimed elements and of the blocks that they owned
 * @param reclaimedElements reclaimed elements, strings included
 * @param flags the effective {@link CollectFlags}
 * @param phase the phase of the collector that a slice spent most of its time in, such as {@code
 *     mark}; empty if the collector names none, and for all but slices
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
    int flags,
    String phase) {

  /** The extent of a collection. */
  public enum Mode {
    /** A full collection. */
    FULL,
    /** A minor collection: of young elements only. */
    MINOR,
    /** A slice of an incremental collection. */
    SLICE,
    /** No collection: a drop freed by counting, frames were left, or a cycle went a large step. */
    DROP;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** {@return the word in meters and reports, such as {@code full}} */
    public String text() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
