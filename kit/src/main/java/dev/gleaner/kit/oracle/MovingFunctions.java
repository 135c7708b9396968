package dev.gleaner.kit.oracle;

import dev.gleaner.memory.AllocationFunctions;
import java.util.HashMap;
import java.util.Map;

/**
 * Allocation functions of a user's own that do all that they may: every realloc moves, some
 * requests are refused, and blocks start behind a prefix. Checks that they are used rightly.
 */
final class MovingFunctions implements AllocationFunctions {
  private static final long PREFIX = 16;
  private static final long DETOUR = 20_000;

  private final AllocationFunctions defaults;
  private final Dice dice;
  private final Map<Long, Long> sizes = new HashMap<>();

  MovingFunctions(AllocationFunctions defaults, long seed) {
    this.defaults = defaults;
    this.dice = new Dice(seed);
  }

  @Override
  public long alloc(long bytes) {
    if (bytes < 0) {
      throw new AssertionError("alloc " + bytes);
    }
    if (bytes == 0 || dice.below(60) == 0) {
      return 0;
    }
    long block = defaults.alloc(bytes + PREFIX);
    if (block == 0) {
      return 0;
    }
    sizes.put(block + PREFIX, bytes);
    return block + PREFIX;
  }

  @Override
  public long realloc(long block, long bytes) {
    if (block == 0) {
      return alloc(bytes);
    }
    Long known = sizes.get(block);
    if (known == null) {
      throw new AssertionError("realloc of no block: " + block);
    }
    if (bytes == 0) {
      free(block);
      return 0;
    }
    // A detour, with something in the old place: the default function might leave the block there.
    long wide = defaults.realloc(block - PREFIX, Math.max(known, bytes) + PREFIX + DETOUR);
    if (wide == 0) {
      return 0;
    }
    long spare = defaults.alloc(known + PREFIX);
    long narrow = defaults.realloc(wide, bytes + PREFIX);
    long moved = narrow == 0 ? wide : narrow; // the limit may be too low to have both for a while
    defaults.free(spare);
    sizes.remove(block);
    sizes.put(moved + PREFIX, bytes);
    return moved + PREFIX;
  }

  @Override
  public void free(long block) {
    if (block != 0) {
      if (sizes.remove(block) == null) {
        throw new AssertionError("free of no block: " + block);
      }
      defaults.free(block - PREFIX);
    }
  }
}
