package dev.gleaner.table;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.CriticalSection;

/** The value stack and call stack blocks of thread elements: made, grown, shrunk, freed. */
public final class ThreadStacks {
  /** Words that leave room for a finalizer's frame, which must not need memory. */
  private static final int LEAST = 16;

  private final Memory memory;
  private final AllocationFunctions functions;
  private final CriticalSection section;
  private final BlockWatch watch;
  private final int initial;
  private final int most;

  /**
   * Makes the operations on stacks.
   *
   * @param initialSlots the words of a new value stack
   * @param mostSlots the most words of a value stack, and the most entries of a call stack; the
   *     stacks never grow beyond
   */
  public ThreadStacks(
      Memory memory,
      AllocationFunctions functions,
      CriticalSection section,
      BlockWatch watch,
      int initialSlots,
      int mostSlots) {
    this.memory = memory;
    this.watch = watch;
    this.functions = functions;
    this.section = section;
    this.initial = Math.max(LEAST, initialSlots);
    this.most = mostSlots;
  }

  /** Allocates the value stack of a new thread; returns 0 if the request is refused. */
  public long allocate() {
    return functions.alloc(initialBytes());
  }

  public long initialBytes() {
    return (long) initial << 3;
  }

  /** Fills a new thread element: suspended, in an empty bottom frame. */
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
   * Makes room in the value stack for at least a number of words. The method reads the block's
   * place anew, as a collection before a retry may have resized the stack (Duktape,
   * "DUK_REALLOC_INDIRECT").
   */
  public boolean ensureStack(long thread, long words) {
    return ensure(thread, ThreadLayout.STACK, ThreadLayout.CAPACITY, words, initial, 1);
  }

  /** Makes room in the call stack for at least a number of entries. */
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
    // At least a sixteenth more: else near the limit each new frame would copy the whole stack.
    long step = Math.max(want, Math.min(most, capacity + (capacity >> 4)));
    return n > step && resize(thread, field, capacityField, step, unit);
  }

  private boolean resize(long thread, int field, int capacityField, long n, int unit) {
    long block = Values.raw(memory.get(thread + field));
    section.enter(); // the thread leads to the freed block for a moment
    long moved = functions.realloc(block, n * unit * 8);
    if (moved != 0) {
      watch.changed(thread);
      memory.put(thread + field, Values.ofRaw(moved));
      memory.put(thread + capacityField, Values.ofRaw(n));
    }
    section.leave();
    return moved != 0;
  }

  /**
   * Shrinks a value stack if little of it is in use (Duktape checks this in the sweep).
   *
   * @param tight true to shrink to the words in use; false to leave twice as many
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
