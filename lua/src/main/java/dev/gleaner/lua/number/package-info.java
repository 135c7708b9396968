/** Numbers as text and text as numbers, byte for byte as Lua has them, without the heap. */
@API(status = API.Status.INTERNAL, since = "0.2")
@NullMarked
package dev.gleaner.lua.number;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
