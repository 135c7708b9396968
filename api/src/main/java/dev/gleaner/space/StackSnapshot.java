package dev.gleaner.space;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * The snapshot of the running threads' stacks, taken in parts from the top down.
 *
 * <pre>
 *   value stack   0 … | caller's slots | link | slots of the frame that runs |
 *                      ^ limit: what is above is taken     return barrier: a frame below the
 *                                                           limit is taken before it runs again
 *   call stack    the entries of frames above the limit are taken with these
 * </pre>
 *
 * <p>Slots have no write barrier. But a program writes to the slots of the frame alone that runs:
 * in a thread that waits for another one, of the frame that resumed it. So the first part has that
 * frame, and the rest can wait until the program returns there. Who removes frames, or slots of
 * frames that do not run, asks for these parts before.
 */
public final class StackSnapshot {
  /** Words that are taken between two looks at the clock, or at a return. */
  private static final int PART = 2048;

  private final Memory memory;
  private LongConsumer marker = _ -> {};
  private long[] threads = new long[2];

  /** Words of each value stack that are not taken. */
  private long[] limits = new long[2];

  /** Entries of each call stack that are not taken. */
  private long[] calls = new long[2];

  private int count;

  /** Makes a snapshot of nothing. */
  public StackSnapshot(Memory memory) {
    this.memory = memory;
  }

  /**
   * Begins a snapshot.
   *
   * @param with is given each value
   */
  public void begin(LongConsumer with) {
    marker = with;
    count = 0;
  }

  /** Takes the frame on top of a running thread. */
  public void add(long thread) {
    if (Values.raw(memory.get(thread + ThreadLayout.STATE)) == 0) {
      return;
    }
    marker.accept(memory.get(thread + ThreadLayout.RESUMER));
    if (count == threads.length) {
      threads = Arrays.copyOf(threads, count * 2);
      limits = Arrays.copyOf(limits, count * 2);
      calls = Arrays.copyOf(calls, count * 2);
    }
    threads[count] = thread;
    limits[count] = Values.raw(memory.get(thread + ThreadLayout.TOP));
    calls[count] = Values.raw(memory.get(thread + ThreadLayout.CALLS_USED));
    count++;
    takeDown(count - 1, Values.raw(memory.get(thread + ThreadLayout.BASE)));
  }

  /** Gives the snapshot up. */
  public void end() {
    count = 0;
  }

  /** Whether all is taken. */
  public boolean isDone() {
    return count == 0;
  }

  /** Takes parts until the deadline; returns whether all is taken. */
  public boolean takeUntil(long deadline) {
    while (count > 0) {
      takeDown(count - 1, limits[count - 1]);
      if (count > 0 && deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return false;
      }
    }
    return true;
  }

  /** The words of a thread's value stack that are not taken. */
  public long limit(long thread) {
    int i = find(thread);
    return i < 0 ? 0 : limits[i];
  }

  /** Takes all of a thread's value stack from a word on, before it may change. */
  public void take(long thread, long word) {
    int i = find(thread);
    if (i >= 0 && word < limits[i]) {
      takeDown(i, word);
    }
  }

  /** A thread is freed, or all of it was given to the collector. */
  public void forget(long thread) {
    int i = find(thread);
    if (i >= 0) {
      remove(i);
    }
  }

  /** Takes a value that a frame loses before it is taken. */
  public void lose(long value) {
    if (count > 0) {
      marker.accept(value);
    }
  }

  private int find(long thread) {
    for (int i = 0; i < count; i++) {
      if (threads[i] == thread) {
        return i;
      }
    }
    return -1;
  }

  private void remove(int i) {
    count--;
    threads[i] = threads[count];
    limits[i] = limits[count];
    calls[i] = calls[count];
  }

  /** Takes all from a word on, and some more. */
  private void takeDown(int i, long word) {
    long thread = threads[i];
    long to = Math.max(0, word - PART);
    long stack = ThreadLayout.stackStart(memory, thread);
    for (long n = limits[i] - 1; n >= to; n--) {
      marker.accept(memory.get(stack + (n << 3)));
    }
    limits[i] = to;
    long entries = ThreadLayout.callsStart(memory, thread);
    long n = calls[i];
    while (n > 0) {
      long entry = entries + (n - 1) * ThreadLayout.CALL_BYTES;
      if (Values.raw(memory.get(entry + ThreadLayout.CALL_BASE)) < to) {
        break;
      }
      marker.accept(memory.get(entry + ThreadLayout.CALL_REFERENCE));
      n--;
    }
    calls[i] = n;
    if (to == 0) {
      remove(i);
    }
  }
}
