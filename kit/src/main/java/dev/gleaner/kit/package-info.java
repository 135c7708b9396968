/** The conformance kit: what a collector must do, and how to find out whether it does. */
@NullMarked
package dev.gleaner.kit;

import org.jspecify.annotations.NullMarked;
