/**
 * The heap for runtimes: elements, references, allocation functions.
 *
 * <p>No argument and no result is null, unless it is marked. A null argument that is not marked
 * causes a {@link NullPointerException}. Sizes are in bytes, times in nanoseconds.
 */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
