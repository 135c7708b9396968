package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code memory}.
 *
 * @param max the limit, in bytes: elements, their auxiliary memory, plain blocks and reserved
 *     external bytes; at least {@link #LEAST_MAX}
 * @param initial the bytes that a heap takes at once when it is opened, at most {@code max}
 * @param backing where the bytes come from
 * @param collectionOverhead bytes in use that each allocated byte lets a heap look through when
 *     memory is refused, before requests fail; 0 for no such bound
 */
@API(status = API.Status.STABLE, since = "0.1")
public record MemorySettings(long max, long initial, Backing backing, int collectionOverhead) {

  /** The least legal {@code max}, 64 KiB: every collector works with it. */
  public static final long LEAST_MAX = 64 << 10;

  /** The greatest legal {@code max}, 1 TiB. */
  public static final long GREATEST_MAX = 1L << 40;

  /** Where a heap's memory comes from. */
  public enum Backing {
    /** {@link #RESERVED} where native access is enabled for the library, else {@link #GROWN}. */
    AUTO,
    /**
     * Address space reserved for all of {@code max}, committed as it is used; needs native access.
     */
    RESERVED,
    /** A segment that grows by copying; needs no permission. */
    GROWN
  }
}
