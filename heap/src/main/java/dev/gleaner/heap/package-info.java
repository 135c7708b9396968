/**
 * The heap for those who have a runtime: elements, references, allocation functions.
 *
 * <p>No argument may be null, and no result is, but for those that are marked; null elsewhere is a
 * {@link NullPointerException}. Sizes are in bytes, times in nanoseconds.
 */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
