package dev.gleaner.it.rules;

import dev.gleaner.memory.AllocationFunctions;
import java.util.HashMap;
import java.util.Map;

/** Allocation functions of a user's own, with his data: every block that is out, and the calls. */
final class CountedFunctions implements AllocationFunctions {
  private final AllocationFunctions defaults;
  final Map<Long, Long> blocks = new HashMap<>();
  int allocs;
  int reallocs;
  int frees;

  CountedFunctions(AllocationFunctions defaults) {
    this.defaults = defaults;
  }

  @Override
  public long alloc(long bytes) {
    allocs++;
    return enter(defaults.alloc(bytes), bytes);
  }

  @Override
  public long realloc(long block, long bytes) {
    reallocs++;
    if (block != 0 && !blocks.containsKey(block)) {
      throw new AssertionError("realloc of " + block + ", which is not out");
    }
    long moved = defaults.realloc(block, bytes);
    if (moved != 0) {
      blocks.remove(block);
    }
    return enter(moved, bytes);
  }

  @Override
  public void free(long block) {
    frees++;
    if (block != 0 && blocks.remove(block) == null) {
      throw new AssertionError("free of " + block + ", which is not out");
    }
    defaults.free(block);
  }

  private long enter(long block, long bytes) {
    if (block % 8 != 0) {
      throw new AssertionError("not aligned: " + block);
    }
    if (block != 0) {
      blocks.put(block, bytes);
    }
    return block;
  }
}
