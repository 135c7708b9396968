package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.CallStackFullException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;

/** The call stack of the running thread: activations of functions, and catchers. */
final class CallAccess {
  private static final int NO_CATCHER = -1;

  private final WordAccess r;
  private final HeapParts context;
  private final Driver driver;
  private final Memory mem;
  private final CriticalSection section;
  private final int maxStack;

  CallAccess(HeapCore core) {
    this.r = core.registers();
    this.context = core.context();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.section = core.context().section();
    this.maxStack = core.context().settings().threads().maxStackSlots();
  }

  void call(int slots, int f) {
    r.check();
    try {
      long _ = r.element(f, Layout.FUNCTION, "function");
      FrameAccess.checkFrame(r, slots);
      ensureRoom();
      FrameAccess.ensureFrame(r, slots); // or makeFrame would begin a second operation
      long newBase = FrameAccess.makeFrame(r, slots, 0);
      push(newBase, ThreadLayout.ACTIVATION, r.value(f));
      r.base = newBase;
      r.size = slots;
      r.top = newBase + ((long) slots << 3);
      r.depth++;
      r.callBase = newBase;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void pushCatcher(int d, int pc) {
    r.check();
    try {
      long _ = r.slot(d);
      if (d >= ThreadLayout.CATCHER_SLOTS) {
        throw new HeapUsageException(
            "a catcher's slot must be below " + ThreadLayout.CATCHER_SLOTS + ": " + d);
      }
      ensureRoom();
      push(r.base, ThreadLayout.catcher(d, pc), Values.UNDEFINED);
      r.callBase = r.base;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Adds an entry. The last write makes the entry valid. */
  private void push(long frame, long kind, long reference) {
    long used = r.callsUsed();
    long at = r.callEntry(used);
    mem.put(at + ThreadLayout.CALL_KIND, kind);
    mem.put(at + ThreadLayout.CALL_REFERENCE, reference);
    mem.put(at + ThreadLayout.CALL_BASE, Values.ofRaw((frame - r.stackStart) >> 3));
    r.count(reference);
    r.setCallsUsed(used + 1);
  }

  private void ensureRoom() {
    long want = r.callsUsed() + 1;
    if (want > Values.raw(mem.get(r.current + ThreadLayout.CALLS_CAPACITY))) {
      if (want > maxStack) {
        throw new CallStackFullException(
            "call stack of " + want + " entries exceeds threads.max-stack-slots = " + maxStack,
            want,
            maxStack);
      }
      driver.beforeAllocation();
      for (int attempt = 0; !context.stacks().ensureCalls(r.current, want); attempt++) {
        driver.beforeRetry(attempt, want * ThreadLayout.CALL_BYTES);
      }
    }
  }

  void popCatcher() {
    r.check();
    try {
      long used = r.callsUsed();
      if (used == 0 || r.callBase != r.base || !isCatcher(r.callEntry(used - 1))) {
        throw new HeapUsageException("no catcher in this frame");
      }
      r.setCallsUsed(used - 1);
      r.reloadCalls();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  int raise(int s) {
    r.check();
    try {
      long _ = r.slot(s);
      long used = r.callsUsed();
      long at = used - 1;
      long below = r.floors.callsBelow(r.current);
      while (at >= below && !isCatcher(r.callEntry(at))) {
        at--;
      }
      if (at < below) {
        return NO_CATCHER;
      }
      int d = ThreadLayout.catcherSlot(mem.get(r.callEntry(at)));
      checkCatcher(d, r.frameOf(r.callEntry(at)));
      r.evacuate(); // the step leaves several frames at once
      long v = r.value(s);
      long catcher = mem.get(r.callEntry(at));
      long target = r.frameOf(r.callEntry(at));
      section.enter();
      r.count(v);
      r.drop(r.callEntry(at), r.callEntry(used));
      r.setCallsUsed(at);
      r.callBase = 0;
      while (r.base != target) {
        FrameAccess.leaveFrame(r);
      }
      r.reloadCalls();
      section.leave();
      r.put(r.slot(d), v);
      r.settle();
      return ThreadLayout.catcherPc(catcher);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** A catcher's slot may have been popped while its thread was suspended. */
  private void checkCatcher(int d, long target) {
    int n = r.size;
    for (long at = r.base; at != target; ) {
      long link = r.link(at);
      n = (int) link & ThreadLayout.LINK_MASK;
      at -= Registers.distance(link) << 3;
    }
    if (d >= n) {
      throw new HeapUsageException("no slot " + d + " for the catcher in its frame of " + n);
    }
  }

  private boolean isCatcher(long entry) {
    return ThreadLayout.isCatcher(mem.get(entry + ThreadLayout.CALL_KIND));
  }
}
