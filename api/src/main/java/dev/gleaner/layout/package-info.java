/** What lies where: headers, kinds, tagged values, tables and stacks, and who refers to whom. */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.layout;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
