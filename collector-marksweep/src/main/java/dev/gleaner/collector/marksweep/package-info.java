/** Mark-and-sweep alone, stop-the-world or incremental. */
@NullMarked
package dev.gleaner.collector.marksweep;

import org.jspecify.annotations.NullMarked;
