/** Reads heap dumps: what is in them, and their object graphs built in a heap of Gleaner's. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.hprof;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
