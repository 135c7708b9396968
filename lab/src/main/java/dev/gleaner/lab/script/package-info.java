/** Lua scripts on the command line. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.script;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
