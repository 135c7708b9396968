/** Small tools: indexes by place, numbers that are used again, late inlining. */
@API(status = API.Status.INTERNAL, since = "0.1")
@NullMarked
package dev.gleaner.util;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
