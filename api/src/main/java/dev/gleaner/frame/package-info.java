/** Records that belong to the frame that made them. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.frame;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
