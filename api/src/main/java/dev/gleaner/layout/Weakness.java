package dev.gleaner.layout;

import org.apiguardian.api.API;

/**
 * What an object does not keep alive of its properties.
 *
 * <p>An entry with a weak key is an <i>ephemeron</i> (Hayes 1997): its value is kept while its key
 * is reached otherwise than through the value.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Weakness {
  /** Nothing: all is held. */
  public static final int NONE = 0;

  /** The keys: an entry goes with its key, and so does the value if nothing else holds it. */
  public static final int KEYS = 1;

  /** The values: an entry goes with its value. */
  public static final int VALUES = 2;

  /** Keys and values: an entry goes with either. */
  public static final int BOTH = KEYS | VALUES;

  private Weakness() {}
}
