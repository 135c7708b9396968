package dev.gleaner.config;

import org.apiguardian.api.API;

/**
 * Section {@code torture}: what finds a missing root or barrier soon.
 *
 * @param gcEvery a collection before every that many allocations: 0 never, 1 before each
 * @param finalizers whether each element's finalizer handling is provoked as often as is legal
 * @param seed for what torture decides at random
 */
@API(status = API.Status.STABLE, since = "0.1")
public record TortureSettings(long gcEvery, boolean finalizers, long seed) {}
