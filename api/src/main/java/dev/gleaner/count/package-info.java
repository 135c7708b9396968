/** What collectors that count references have in common. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@NullMarked
package dev.gleaner.count;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
