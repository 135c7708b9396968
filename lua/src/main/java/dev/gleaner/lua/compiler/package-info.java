/** The compiler: from the text of a chunk to the code of the machine. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lua.compiler;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
