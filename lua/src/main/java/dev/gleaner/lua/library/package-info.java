/** The standard libraries. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lua.library;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
