package dev.gleaner.testing;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Budget;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.SizeClassAllocator;

/**
 * A memory with an allocator under a limit, and elements made by hand; a part alone needs no more.
 */
public final class Region implements AutoCloseable {
  public final Memory memory;
  public final Budget budget;
  public final RawSpace raw;
  public final SizeClassAllocator allocator;

  public Region(long max) {
    this(max, max * 2 + (4L << 20), true);
  }

  public Region(long max, long bytes, boolean reserve) {
    memory = Memory.open(bytes, 8 << 10, reserve);
    budget = new Budget(max);
    raw = new RawSpace(memory, bytes, budget);
    allocator = raw.allocator();
  }

  /** An element with a payload of zeros. */
  public long element(int kind, int words) {
    long e = allocator.alloc((words + 1L) << 3);
    if (e == 0) {
      throw new AssertionError("the region is too small for this test");
    }
    memory.zero(e, (words + 1L) << 3);
    memory.put(e, Layout.header(kind, words));
    return e;
  }

  /** A string of one word of bytes with a hash of one's choice. */
  public long string(int hash, long bytes) {
    long e = element(Layout.STRING, 2);
    memory.put(e + Layout.STRING_WORD, (long) hash << 32 | 8);
    memory.put(e + Layout.STRING_BYTES, bytes);
    return e;
  }

  public long object() {
    long e = element(Layout.OBJECT, Layout.OBJECT_SLOTS);
    memory.put(e + Layout.OBJECT_PROTOTYPE, Values.NULL);
    memory.put(e + Layout.OBJECT_TABLE, Values.ofRaw(0));
    return e;
  }

  @Override
  public void close() {
    memory.close();
  }

  /** Functions that refuse when told to. */
  public static class Failing implements AllocationFunctions {
    private final AllocationFunctions inner;
    public boolean refuse;
    public int refused;

    public Failing(AllocationFunctions inner) {
      this.inner = inner;
    }

    @Override
    public long alloc(long bytes) {
      if (refuse) {
        refused++;
        return 0;
      }
      return inner.alloc(bytes);
    }

    @Override
    public long realloc(long block, long bytes) {
      if (refuse) {
        refused++;
        return 0;
      }
      return inner.realloc(block, bytes);
    }

    @Override
    public void free(long block) {
      inner.free(block);
    }
  }
}
