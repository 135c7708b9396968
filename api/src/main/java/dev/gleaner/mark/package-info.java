/** Tracing: the marker, and what is decided about finalizers when all that is reached is known. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.mark;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
