/** The heap for those who have a runtime: elements, references, allocation functions. */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
