package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code torture}: what finds a missing root or barrier soon.
 *
 * @param gcEvery a collection before every that many allocations: 0 never, 1 before each
 * @param finalizers a collection before every finalizer
 * @param seed the allocations by which the first of those collections is earlier, modulo their
 *     distance: N seeds hit every allocation of a program
 */
@API(status = API.Status.STABLE, since = "0.1")
public record TortureSettings(long gcEvery, boolean finalizers, long seed) {}
