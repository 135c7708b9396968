package dev.gleaner.snapshot;

/**
 * The roots that a heap keeps itself.
 *
 * @param main the thread that the heap began with
 * @param current the thread that runs
 * @param finalizer the thread of finalizers, or 0
 * @param callback the thread of on-free callbacks, or 0
 * @param globals tagged values; those that are no references are no roots
 */
@SuppressWarnings("ArrayRecordComponent")
public record SnapshotRoots(
    long main, long current, long finalizer, long callback, long[] globals) {}
