/** Lua 5.4 as a guest of a heap: {@code Lua} opens guests, which run scripts. */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package dev.gleaner.lua;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
