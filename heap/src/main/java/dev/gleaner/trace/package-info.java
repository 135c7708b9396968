/**
 * Traces: the heap operations of a program in a file, to be run again under any collector. The
 * format is in docs/internal/trace-format.md.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.trace;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
