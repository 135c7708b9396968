/** Reads heap dumps: what is in them, and their object graphs built in a heap of Gleaner's. */
@NullMarked
package dev.gleaner.lab.hprof;

import org.jspecify.annotations.NullMarked;
