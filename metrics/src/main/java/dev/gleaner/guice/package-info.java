/** Heaps in a program that Guice wires. */
@NullMarked
package dev.gleaner.guice;

import org.jspecify.annotations.NullMarked;
