/** An error at each point of Gleaner's own code, one after the other. */
@NullMarked
package dev.gleaner.it.errors;

import org.jspecify.annotations.NullMarked;
