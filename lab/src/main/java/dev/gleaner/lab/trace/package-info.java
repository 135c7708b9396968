/** Traces run again: recorded heap operations under any collector. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.trace;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
