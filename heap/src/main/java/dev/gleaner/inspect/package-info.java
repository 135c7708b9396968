/** Looks at a heap as a whole: the verifier, paths from roots, leaks. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.inspect;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
