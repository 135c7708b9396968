/** Building blocks a collector may use, each usable and tested alone. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.policy;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
