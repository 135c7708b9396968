package dev.gleaner.heap;

import dev.gleaner.layout.Values;

/**
 * The frames of finalizers on threads of the program, as in Duktape 1.x.
 *
 * <pre>
 *   value stack   ... | frame | link | slots of the finalizer | its frames ...
 *                                ^ no distance: no operation leaves the frame, as if it were the
 *                                  bottom; the caller's size: the heap knows the way down
 * </pre>
 *
 * <p>The frame is a floor. The finalizer reaches no frame and no catcher below it, and cannot
 * suspend the thread. So operations that call no code take no extra time.
 *
 * <p>There are two floors at most: of a finalizer that counting runs, and of one that a collection
 * inside of it runs.
 */
final class Floors {
  private static final int MOST = 2;

  private final long[] threads = new long[MOST];
  private final int[] depths = new int[MOST];
  private final long[] calls = new long[MOST];
  private int count;

  /** Adds a floor: the thread, and the frames and entries of its call stack below. */
  void add(long thread, int depth, long callsUsed) {
    threads[count] = thread;
    depths[count] = depth;
    calls[count] = callsUsed;
    count++;
  }

  int count() {
    return count;
  }

  /** Returns the thread of a floor; the last one is the innermost. */
  long thread(int floor) {
    return threads[floor];
  }

  /** Returns the number of frames between a floor and the one below, or the thread's bottom. */
  int depth(int floor) {
    return depths[floor];
  }

  /** Removes the innermost floor. */
  void removeLast() {
    count--;
  }

  /** Returns the innermost floor on a thread, or -1. */
  int on(long thread) {
    for (int i = count - 1; i >= 0; i--) {
      if (threads[i] == thread) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the entries of a thread's call stack that are below its innermost floor. */
  long callsBelow(long thread) {
    int floor = on(thread);
    return floor < 0 ? 0 : calls[floor];
  }

  /** Returns the link of a floor above a frame of so many slots. */
  static long link(int callerSize) {
    return Values.RAW_TAG | callerSize;
  }
}
