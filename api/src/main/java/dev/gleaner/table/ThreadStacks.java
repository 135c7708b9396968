package dev.gleaner.table;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;

/** The value stack and call stack blocks of thread elements: made, grown, shrunk, freed. */
public final class ThreadStacks {
  /** Room for the frame of a finalizer, which must not need memory. */
  private static final int LEAST = 16;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final int initial;
  private final int most;

  /**
   * Makes what handles the stacks.
   *
   * @param initialSlots words of a new value stack
   * @param mostSlots words that a value stack may have, and entries of a call stack: no more is
   *     asked for, and no more is taken in advance
   */
  public ThreadStacks(
      Memory memory, AllocationFunctions functions, int initialSlots, int mostSlots) {
    this.memory = memory;
    this.functions = functions;
    this.initial = Math.max(LEAST, initialSlots);
    this.most = mostSlots;
  }

  /** Allocates the value stack of a thread that is to be made; 0 if refused. */
  public long allocate() {
    return functions.alloc(initialBytes());
  }

  public long initialBytes() {
    return (long) initial << 3;
  }

  /** Fills a new thread element, suspended in an empty frame at the bottom of this stack. */
  public void init(long thread, long stack) {
    for (int at = ThreadLayout.STACK; at <= ThreadLayout.OBJECT; at += 8) {
      memory.put(thread + at, Values.ofRaw(0));
    }
    memory.put(thread + ThreadLayout.RESUMER, Values.NULL);
    memory.put(thread + ThreadLayout.STACK, Values.ofRaw(stack));
    memory.put(thread + ThreadLayout.CAPACITY, Values.ofRaw(initial));
    memory.put(thread + ThreadLayout.BASE, Values.ofRaw(1));
    memory.put(thread + ThreadLayout.TOP, Values.ofRaw(1));
    memory.put(stack, Values.RAW_TAG);
  }

  /**
   * Makes the value stack hold at least so many words; reads the block's place anew, so a retry
   * after a collection that resized it is right (Duktape, "DUK_REALLOC_INDIRECT").
   */
  public boolean ensureStack(long thread, long words) {
    return ensure(thread, ThreadLayout.STACK, ThreadLayout.CAPACITY, words, initial, 1);
  }

  /** Makes the call stack hold at least so many entries. */
  public boolean ensureCalls(long thread, long entries) {
    return ensure(
        thread,
        ThreadLayout.CALLS,
        ThreadLayout.CALLS_CAPACITY,
        entries,
        4,
        ThreadLayout.CALL_WORDS);
  }

  private boolean ensure(
      long thread, int field, int capacityField, long want, int least, int unit) {
    long capacity = Values.raw(memory.get(thread + capacityField));
    if (want <= capacity) {
      return true;
    }
    long n = Math.max(Math.max(want, least), Math.min(most, capacity + (capacity >> 1)));
    if (resize(thread, field, capacityField, n, unit)) {
      return true;
    }
    return n > want && resize(thread, field, capacityField, want, unit);
  }

  private boolean resize(long thread, int field, int capacityField, long n, int unit) {
    long block = Values.raw(memory.get(thread + field));
    long moved = functions.realloc(block, n * unit * 8);
    if (moved == 0) {
      return false;
    }
    memory.put(thread + field, Values.ofRaw(moved));
    memory.put(thread + capacityField, Values.ofRaw(n));
    return true;
  }

  /**
   * Shrinks a value stack of which little is used (Duktape checks this in the sweep).
   *
   * @param tight shrink to what is used, not to twice as much
   */
  public void shrink(long thread, boolean tight) {
    long top = Values.raw(memory.get(thread + ThreadLayout.TOP));
    long capacity = Values.raw(memory.get(thread + ThreadLayout.CAPACITY));
    long want = Math.max(initial, tight ? top : top * 2);
    if (tight ? want < capacity : want * 2 < capacity) {
      boolean _ = resize(thread, ThreadLayout.STACK, ThreadLayout.CAPACITY, want, 1);
    }
  }

  /** Frees both blocks of a dead thread. */
  public void release(long thread) {
    functions.free(Values.raw(memory.get(thread + ThreadLayout.STACK)));
    functions.free(Values.raw(memory.get(thread + ThreadLayout.CALLS)));
  }
}
