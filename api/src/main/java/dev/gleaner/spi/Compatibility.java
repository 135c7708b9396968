package dev.gleaner.spi;

import org.apiguardian.api.API;

/** Whose rules a collector of Duktape's models follows: the setting {@code compatibility}. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Compatibility {
  /** Those of Duktape 1.x. */
  DUKTAPE_1,
  /** Those of Duktape 2.x. */
  DUKTAPE_2
}
