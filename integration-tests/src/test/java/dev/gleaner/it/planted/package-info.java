/**
 * Bugs planted into collectors, to see whether the conformance kit finds them.
 *
 * <p>Each is a change of a few lines of a collector's source, or of a building block's; it is
 * compiled by itself and loaded before the right classes.
 */
@NullMarked
package dev.gleaner.it.planted;

import org.jspecify.annotations.NullMarked;
