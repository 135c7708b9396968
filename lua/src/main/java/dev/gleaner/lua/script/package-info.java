/** Lua as a script engine of {@code javax.script}, named lua. */
@API(status = API.Status.EXPERIMENTAL, since = "0.2")
@NullMarked
package dev.gleaner.lua.script;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
