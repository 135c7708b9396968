package dev.gleaner.settings;

import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * Section {@code strings}.
 *
 * @param initial the entries that the string table starts with and never shrinks below; a power of
 *     two
 * @param accessCache the entries of the cache from character offsets to byte offsets; 0: no cache
 * @param maxInterned the most bytes of a string that is interned as it is made; longer ones are
 *     interned when they become keys, or when a program asks for it
 * @param hashSeed the seed of the hash of strings; empty: a random one for each heap
 */
@API(status = API.Status.STABLE, since = "0.1")
public record StringSettings(int initial, int accessCache, int maxInterned, OptionalLong hashSeed) {
  /** {@return the seed of a heap that is opened now} */
  public long seedOfHeap() {
    return hashSeed.isPresent() ? hashSeed.getAsLong() : HashSeeds.next();
  }
}
