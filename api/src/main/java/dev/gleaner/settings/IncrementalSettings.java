package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code incremental}: a collection in slices, for collectors that can.
 *
 * @param enabled whether collections that start by themselves are incremental
 * @param sliceNanos the time that one slice may take, in nanoseconds
 * @param allocationsPerSlice the allocations between two slices while a collection is under way
 */
@API(status = API.Status.STABLE, since = "0.1")
public record IncrementalSettings(boolean enabled, long sliceNanos, int allocationsPerSlice) {}
