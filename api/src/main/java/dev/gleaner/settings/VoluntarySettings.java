package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code voluntary}: a collection starts by itself once as many allocations, reallocations
 * and frees went by as {@code (kept objects + kept strings) * mult + add}, counted at the end of
 * the last one.
 *
 * @param enabled whether collections start by themselves at all
 * @param mult operations for each element that the last collection kept
 * @param add operations whatever it kept
 * @param bytes so many bytes of growth count as one operation, and so many kept bytes as one
 *     element; 0 if bytes do not count
 */
@API(status = API.Status.STABLE, since = "0.1")
public record VoluntarySettings(boolean enabled, double mult, double add, int bytes) {}
