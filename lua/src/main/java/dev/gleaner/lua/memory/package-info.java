/** Charges to guests for their memory on the JVM's heap. */
@API(status = API.Status.INTERNAL, since = "0.2")
@NullMarked
package dev.gleaner.lua.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
