/**
 * The memory of a heap: words by offset, reserved or grown; and the functions that plain blocks
 * come from.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
