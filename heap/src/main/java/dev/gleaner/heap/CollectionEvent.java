package dev.gleaner.heap;

import dev.gleaner.spi.CollectFlags;

/**
 * A collection, or a slice of an incremental one.
 *
 * @param heap the heap's name
 * @param collector the collector's name
 * @param cause why: explicit, voluntary, nursery, exhausted, emergency, torture, pin, closing
 * @param mode full, minor, or slice
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
    String cause,
    String mode,
    boolean collectionFinished,
    long startNanos,
    long pauseNanos,
    long usedBefore,
    long usedAfter,
    long reclaimedBytes,
    long reclaimedElements,
    int flags) {}
