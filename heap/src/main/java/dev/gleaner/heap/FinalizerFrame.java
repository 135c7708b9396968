package dev.gleaner.heap;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.refusal.HeapException;

/** Enters and leaves the frames of finalizers on the running thread: {@link Floors}. */
final class FinalizerFrame {
  private final WordAccess r;
  private final ThreadAccess threads;

  FinalizerFrame(HeapCore core, ThreadAccess threads) {
    this.r = core.registers();
    this.threads = threads;
  }

  /** Whether a thread element has the innermost of these frames. */
  boolean runsOn(long t) {
    return r.floors.count() > 0 && r.floors.thread(r.floors.count() - 1) == t;
  }

  /**
   * Enters a frame above the running one; may collect.
   *
   * @throws HeapException if there is no room for the slots; the frame is not entered
   */
  void enter(int slots) {
    FrameAccess.ensureFrame(r, slots);
    long newBase = r.top + 8;
    r.mem.put(r.top, Floors.link(r.size));
    r.fill(newBase, slots);
    r.floors.add(r.current, r.depth, r.callsUsed());
    r.base = newBase;
    r.size = slots;
    r.top = newBase + ((long) slots << 3);
    r.depth = 0;
  }

  /** Leaves all that the finalizer has entered, and switches back to its thread. */
  void leave() {
    int floor = r.floors.count() - 1;
    while (r.current != r.floors.thread(floor)) {
      threads.switchBack();
    }
    while (Registers.distance(r.link(r.base)) != 0) {
      FrameAccess.leaveFrame(r);
    }
    int callerSize = (int) r.link(r.base) & ThreadLayout.LINK_MASK;
    long callerBase = r.base - 8 - ((long) callerSize << 3);
    if (callerBase < r.limit) {
      r.takeFrame(callerBase);
    }
    FrameAccess.emptyBottom(r);
    int depth = r.floors.depth(floor);
    r.floors.removeLast();
    r.top = r.base - 8; // no call from here on, as the Java stack may end at any call
    r.base = callerBase;
    r.size = callerSize;
    r.depth = depth;
    r.settle();
  }
}
