/** The settings of a heap as records, and the strict reader that makes them out of HOCON. */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.settings;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
