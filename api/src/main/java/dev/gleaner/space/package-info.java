/** Where elements live: pages, size classes and spaces, with what is counted there. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.space;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
