/**
 * The parts of a heap, put together: what a collector sees of them, and what only the heap does.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.parts;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
