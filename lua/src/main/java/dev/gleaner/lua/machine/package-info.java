/**
 * The machine: runs compiled functions on the frames of a heap.
 *
 * <pre>
 *   Machine       services for libraries       HostCall      calls and values of the host
 *   Interpreter   the loop over instructions   Steps         the same of compiled functions
 *   Calls         calls, returns, metamethods  Protection    errors, coroutines
 *   Builtins      functions in Java            Arguments     what they get
 *   Access        fields, with metamethods     Tables        without
 *   Operators     numbers and strings
 *   Messages      errors, with Names of variables
 *   Metatables    events
 *   State         registers                    Limits        instructions, time, interrupts
 *   Codes         functions by number          Unit          a chunk's code, charged
 * </pre>
 *
 * <p>A class knows classes of its own line and of lines below, and none above. The machine makes
 * them all, and hands down what calls upwards: the loop, the host, what runs between instructions.
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
