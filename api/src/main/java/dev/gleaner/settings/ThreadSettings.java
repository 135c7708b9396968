package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code threads}.
 *
 * @param initialStackSlots the slots that a value stack starts with and is shrunk to
 * @param maxStackSlots the slots that a value stack can grow to
 */
@API(status = API.Status.STABLE, since = "0.1")
public record ThreadSettings(int initialStackSlots, int maxStackSlots) {}
