/** Lua scripts on the command line. */
@NullMarked
package dev.gleaner.lab.script;

import org.jspecify.annotations.NullMarked;
