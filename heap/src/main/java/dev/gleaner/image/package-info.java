/** Heap images: what a heap holds as bytes, to be opened as another heap. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.image;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
