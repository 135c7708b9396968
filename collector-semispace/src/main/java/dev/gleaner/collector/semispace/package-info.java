/** Semispace copying with ordered finalizers. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.collector.semispace;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
