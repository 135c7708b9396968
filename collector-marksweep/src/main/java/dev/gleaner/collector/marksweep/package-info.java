/** Mark-and-sweep alone, stop-the-world or incremental. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.collector.marksweep;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
