/** Gleaner: managed heaps with garbage collectors as plug-ins. */
@NullMarked
package dev.gleaner;

import org.jspecify.annotations.NullMarked;
