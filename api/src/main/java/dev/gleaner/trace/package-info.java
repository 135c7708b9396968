/**
 * Traces: the heap operations of a program in a file, to be run again under any collector. The
 * format is in docs/traces.md.
 */
@NullMarked
package dev.gleaner.trace;

import org.jspecify.annotations.NullMarked;
