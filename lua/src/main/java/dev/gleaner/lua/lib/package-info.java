/**
 * The libraries of strings, tables, numbers, the system and files.
 *
 * <p>No function works longer than a bounded slice without {@code Arguments.work}, and none takes
 * memory outside of the heap in proportion to its arguments: strings are read through a {@code
 * Window} and made by a {@code TextBuilder}.
 */
@API(status = API.Status.INTERNAL, since = "0.2")
@NullMarked
package dev.gleaner.lua.lib;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
