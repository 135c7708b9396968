/** Writes what a heap holds as a heap dump of a JVM, which the tools for those open. */
@NullMarked
package dev.gleaner.snapshot;

import org.jspecify.annotations.NullMarked;
