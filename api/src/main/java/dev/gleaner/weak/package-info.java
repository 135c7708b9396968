/** Weak references, weak tables and finalizers, as collectors see them. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.weak;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
