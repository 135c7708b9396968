package dev.gleaner.table;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.CriticalSection;

/** The value stack and call stack blocks of thread elements: made, grown, shrunk, freed. */
public final class ThreadStacks {
  /** Room for the frame of a finalizer, which must not need memory. */
  private static final int LEAST = 16;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final CriticalSection section;
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
      Memory memory,
      AllocationFunctions functions,
      CriticalSection section,
      int initialSlots,
      int mostSlots) {
    this.memory = memory;
    this.functions = functions;
    this.section = section;
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
    // A sixteenth more, or to fill what is left would copy all for each frame that is entered.
    long step = Math.max(want, Math.min(most, capacity + (capacity >> 4)));
    return n > step && resize(thread, field, capacityField, step, unit);
  }

  private boolean resize(long thread, int field, int capacityField, long n, int unit) {
    long block = Values.raw(memory.get(thread + field));
    section.enter(); // the old block is free before it leads to the new one
    long moved = functions.realloc(block, n * unit * 8);
    if (moved != 0) {
      memory.put(thread + field, Values.ofRaw(moved));
      memory.put(thread + capacityField, Values.ofRaw(n));
    }
    section.leave();
    return moved != 0;
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
