/** Traces run again: recorded heap operations under any collector. */
@NullMarked
package dev.gleaner.lab.trace;

import org.jspecify.annotations.NullMarked;
