/** A small interpreter of a dynamic language: how a language runtime is made on the heap. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.guest;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
