/** An allocation buffer that belongs to a frame, and the return barrier. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.frame;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
