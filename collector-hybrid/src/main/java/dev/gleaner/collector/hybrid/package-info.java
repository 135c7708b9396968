/** Reference counting, with mark-and-sweep for loops. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.collector.hybrid;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
