/** The heap for those who have a runtime: elements, references, allocation functions. */
@NullMarked
package dev.gleaner.heap;

import org.jspecify.annotations.NullMarked;
