package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code mark}.
 *
 * @param recursionLimit the elements that the mark stack holds at most; beyond it the mark phase
 *     remembers that it has to look again, and needs no more memory
 */
@API(status = API.Status.STABLE, since = "0.1")
public record MarkSettings(int recursionLimit) {}
