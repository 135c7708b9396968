/** Reads heap dumps of JVMs, and builds their object graphs in a heap of Gleaner's. */
@NullMarked
package dev.gleaner.lab.hprof;

import org.jspecify.annotations.NullMarked;
