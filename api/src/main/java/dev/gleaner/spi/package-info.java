/** For those who write a collector: the contract, memory, layouts, root scanning. */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.spi;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
