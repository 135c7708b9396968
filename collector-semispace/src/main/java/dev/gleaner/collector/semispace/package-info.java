/** Semispace copying with ordered finalizers. */
@NullMarked
package dev.gleaner.collector.semispace;

import org.jspecify.annotations.NullMarked;
