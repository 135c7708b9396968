/** The parts of a heap: the parts that a collector sees, and the parts that only the heap uses. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.parts;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
