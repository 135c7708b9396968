/** Writes what a heap holds as a heap dump of a JVM, which the tools for those open. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.snapshot;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
