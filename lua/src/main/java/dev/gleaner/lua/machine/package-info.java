/**
 * The machine: runs compiled functions on the frames of a heap.
 *
 * <pre>
 *   Machine       services for libraries       Interpreter   the loop over instructions
 *   Calls         calls, returns, instructions that may call
 *   Protection    errors, protected calls, coroutines
 *   Operators     numbers and strings          Metatables    events
 *   Tables        raw access                   Messages      errors, with Names of variables
 *   Unit          a chunk's code, charged      Limits        instructions, time, interrupts
 * </pre>
 *
 * <p>Values: nil is undefined. Integers, floats and booleans are tagged; the heap boxes larger
 * integers. A table is an object with the metatable in its inline slot. A function is a function
 * element: its code number leads to code or to a {@link dev.gleaner.lua.machine.Builtin}, and its
 * constants are the chunk's native element and the captured values. A userdata is a record with a
 * metatable and a native element. A coroutine is a thread.
 *
 * <p>Java strings hold bytes here, in ISO 8859-1.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lua.machine;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
