/** What the heap answers when it cannot do what it is asked for. */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.refusal;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
