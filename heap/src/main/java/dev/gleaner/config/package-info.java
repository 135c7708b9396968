/**
 * Settings: read once, checked whole, handed out as records.
 *
 * <p>{@link dev.gleaner.settings.HeapSettings} is what the rest of the library sees. The strict
 * reader behind it is the only place that knows of HOCON; {@link
 * dev.gleaner.config.CollectorRegistry} finds the collectors that are installed.
 */
@NullMarked
package dev.gleaner.config;

import org.jspecify.annotations.NullMarked;
