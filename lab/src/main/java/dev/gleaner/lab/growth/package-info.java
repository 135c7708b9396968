/** How the peak of a program's memory grows with its size. */
@NullMarked
@API(status = API.Status.INTERNAL)
package dev.gleaner.lab.growth;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
