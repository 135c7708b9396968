/** Reference counting: elements go the moment their last reference does. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.collector.refcount;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
