/** What a heap shows to the outside: Micrometer meters and events of the JDK's Flight Recorder. */
@NullMarked
package dev.gleaner.metrics;

import org.jspecify.annotations.NullMarked;
