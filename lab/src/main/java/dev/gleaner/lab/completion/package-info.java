/** Completion scripts for shells, made from the commands as picocli knows them. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.completion;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
