/**
 * Collectors that are there to be compared with, or to prove something about the rest.
 *
 * <p>They are no services of this jar, so that nobody gets one without asking: {@link
 * dev.gleaner.kit.collector.KitCollectors#loader} offers them.
 */
@NullMarked
package dev.gleaner.kit.collector;

import org.jspecify.annotations.NullMarked;
