/** The machine: runs compiled functions on the frames of a heap. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lua.machine;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
