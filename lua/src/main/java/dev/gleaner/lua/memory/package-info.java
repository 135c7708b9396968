/** What a guest takes of the JVM's heap, charged to the guest. */
@API(status = API.Status.INTERNAL, since = "0.2")
@NullMarked
package dev.gleaner.lua.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
