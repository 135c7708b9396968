/** Numbers and characters as bytes, and the bounded log. */
@API(status = API.Status.INTERNAL, since = "0.1")
@NullMarked
package dev.gleaner.text;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
