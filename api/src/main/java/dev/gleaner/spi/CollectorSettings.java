package dev.gleaner.spi;

import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.Section;
import org.apiguardian.api.API;

/**
 * The settings that a plug-in is asked to work with.
 *
 * @param general the general settings, overridden by those under {@code gleaner.collectors.<name>}
 * @param own the plug-in's own, under {@code gleaner.collectors.<name>}
 */
@API(status = API.Status.STABLE, since = "0.1")
public record CollectorSettings(HeapSettings general, Section own) {}
