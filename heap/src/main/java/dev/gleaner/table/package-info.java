/** Tables that the heap owns: strings, properties, identities, natives, stacks. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.table;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
