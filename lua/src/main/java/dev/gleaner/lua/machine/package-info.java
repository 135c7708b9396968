/**
 * The machine: runs compiled functions on the frames of a heap.
 *
 * <pre>
 *   Machine       what libraries call          Interpreter   the cycle over instructions
 *   Calls         calls, returns, what an instruction may call
 *   Protection    errors, protected calls, coroutines
 *   Operators     numbers and strings          Metatables    events
 *   Tables        raw access                   Messages      errors, with Names of variables
 *   Unit          a chunk's code, charged      Limits        instructions, time, interrupts
 * </pre>
 *
 * <p>Values: nil is undefined; integers, floats and booleans are tagged, larger integers boxed by
 * the heap; a table is an object whose inline slot is its metatable; a function is a function
 * element whose code number leads to code or to a {@link dev.gleaner.lua.machine.Builtin}, and
 * whose constants are the chunk's native element and what it captured; a userdata is a record of
 * metatable and native; a coroutine is a thread.
 *
 * <p>Java strings are bytes here, in ISO 8859-1.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lua.machine;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
