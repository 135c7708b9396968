/** Reference counting, with mark-and-sweep for loops. */
@NullMarked
package dev.gleaner.collector.hybrid;

import org.jspecify.annotations.NullMarked;
