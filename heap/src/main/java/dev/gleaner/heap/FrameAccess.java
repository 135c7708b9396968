package dev.gleaner.heap;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;

/**
 * Frames of the running thread.
 *
 * <pre>
 *   enter      … caller | link | slots …                      a link leads to the caller's frame
 *   enterMoving                                           the arguments move up, undefined stays
 *   leave      … caller: d …  | link | callee: first …         the results move down to d
 *   tailCall   … link | first … first + args |                 the arguments move down to slot 0
 * </pre>
 *
 * <p>A moving value takes its count along. Overwritten values, and values that do not move, are
 * dropped.
 *
 * <p>A frame has a return barrier if the call stack has an entry for the frame, or if the collector
 * wants to know of its end.
 */
final class FrameAccess {
  /** The largest number of slots that the link of the next frame can hold. */
  static final int LARGEST_FRAME = ThreadLayout.LINK_MASK - 1;

  /**
   * The handles of the commonest operations. They are not in the class of the methods: while a
   * class is being initialized, its handles are of another form, and each form is a class of the
   * JVM.
   */
  static final class Late {
    private static final MethodHandle ENTER =
        handle("doEnter", void.class, WordAccess.class, int.class);
    private static final MethodHandle ENTER_WITH =
        handle("doEnter", void.class, WordAccess.class, int.class, int.class, int.class);
    private static final MethodHandle ENTER_MOVING =
        handle("doEnterMoving", void.class, WordAccess.class, int.class, int.class, int.class);
    private static final MethodHandle LEAVE = handle("doLeave", void.class, WordAccess.class);
    private static final MethodHandle LEAVE_WITH =
        handle("doLeave", void.class, WordAccess.class, int.class, int.class);
    private static final MethodHandle LEAVE_RESULTS =
        handle("doLeave", int.class, WordAccess.class, int.class, int.class, int.class, int.class);
    private static final MethodHandle TAIL_CALL =
        handle("doTailCall", void.class, WordAccess.class, int.class, int.class, int.class);

    private Late() {}

    private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
      return Inlining.staticHandle(
          MethodHandles.lookup(), FrameAccess.class, name, result, parameters);
    }
  }

  private FrameAccess() {}

  // ---- enter ----

  static void enter(WordAccess r, int slots) {
    MethodHandle late = Late.ENTER;
    while (true) {
      try {
        late.invokeExact(r, slots);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doEnter(WordAccess r, int slots) {
    r.checkThread();
    setFrame(r, makeFrame(r, slots, 0), slots);
  }

  static void enter(WordAccess r, int slots, int first, int args) {
    MethodHandle late = Late.ENTER_WITH;
    while (true) {
      try {
        late.invokeExact(r, slots, first, args);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doEnter(WordAccess r, int slots, int first, int args) {
    r.checkThread();
    if (args < 0 || args > slots || first < 0 || first > r.size - args) {
      throw noArguments(slots, first, args);
    }
    long newBase = makeFrame(r, slots, args);
    r.copy(r.base + ((long) first << 3), newBase, args);
    r.base = newBase;
    r.size = slots;
    r.top = newBase + ((long) slots << 3);
    r.depth++;
  }

  static void enterMoving(WordAccess r, int slots, int first, int args) {
    MethodHandle late = Late.ENTER_MOVING;
    while (true) {
      try {
        late.invokeExact(r, slots, first, args);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doEnterMoving(WordAccess r, int slots, int first, int args) {
    r.checkThread();
    if (args < 0 || args > slots || first < 0 || first > r.size - args) {
      throw noArguments(slots, first, args);
    }
    long newBase = makeFrame(r, slots, args);
    long from = r.base + ((long) first << 3);
    r.moveAway(from, newBase, args);
    r.base = newBase;
    r.size = slots;
    r.top = newBase + ((long) slots << 3);
    r.depth++;
  }

  private static HeapUsageException noArguments(int slots, int first, int args) {
    return new HeapUsageException(
        "no " + args + " arguments from slot " + first + " for " + slots + " slots");
  }

  /**
   * Writes a frame above the running frame, but not its first slots, which the caller writes. The
   * caller enters the frame by writes to fields, without a call in between, as the Java stack may
   * end at any call.
   *
   * @return the base of the new frame
   */
  static long makeFrame(WordAccess r, int slots, int written) {
    long newBase = r.top + 8;
    long newTop = newBase + ((long) slots << 3);
    if (Integer.compareUnsigned(slots, LARGEST_FRAME) > 0 || newTop > r.stackEnd) {
      growStack(r, slots);
      newBase = r.top + 8;
    }
    long distance = (newBase - r.base) >> 3;
    r.mem.putUnchecked(r.top, Values.RAW_TAG | distance << ThreadLayout.LINK_BITS | r.size);
    r.fill(newBase + ((long) written << 3), slots - written);
    return newBase;
  }

  /** Enters a frame; there must be room for it, and the caller writes its first slots later. */
  static void pushFrame(WordAccess r, int slots, int written) {
    long newBase = r.top + 8;
    long distance = (newBase - r.base) >> 3;
    r.mem.putUnchecked(r.top, Values.RAW_TAG | distance << ThreadLayout.LINK_BITS | r.size);
    r.fill(newBase + ((long) written << 3), slots - written);
    setFrame(r, newBase, slots);
  }

  private static void setFrame(WordAccess r, long newBase, int slots) {
    r.base = newBase;
    r.size = slots;
    r.top = newBase + ((long) slots << 3);
    r.depth++;
  }

  // ---- room ----

  /** Refuses a frame that can never fit the running thread's stack. */
  static void checkFrame(WordAccess r, int slots) {
    long _ = wordsWithFrame(r, (r.top - r.stackStart) >> 3, slots);
  }

  /** Returns the words of a value stack with one more frame. */
  static long wordsWithFrame(WordAccess r, long used, int slots) {
    if (slots < 0) {
      throw new HeapUsageException("negative frame size: " + slots);
    }
    long n = used + 1 + slots;
    checkStack(r, n);
    checkSize(slots);
    return n;
  }

  /** Refuses a value stack that is too large. */
  static void checkStack(WordAccess r, long slots) {
    int maxStack = r.core.context().settings().threads().maxStackSlots();
    if (slots > maxStack) {
      throw new ValueStackFullException(
          "value stack of " + slots + " slots exceeds threads.max-stack-slots = " + maxStack,
          slots,
          maxStack);
    }
  }

  /** Refuses a frame that is too large for its link. */
  static void checkSize(long slots) {
    if (slots > LARGEST_FRAME) {
      throw new ValueStackFullException(
          "frame of " + slots + " slots exceeds " + LARGEST_FRAME, slots, LARGEST_FRAME);
    }
  }

  /** Makes room for a frame above the running one; may collect. */
  static void ensureFrame(WordAccess r, int slots) {
    long n = wordsWithFrame(r, (r.top - r.stackStart) >> 3, slots);
    if (r.stackStart + (n << 3) > r.stackEnd) {
      growStackTo(r, n);
    }
  }

  private static void growStack(WordAccess r, int slots) {
    r.check();
    growStackTo(r, wordsWithFrame(r, (r.top - r.stackStart) >> 3, slots));
  }

  /** Makes room for the given number of slots in the running frame; may collect. */
  static void ensureSize(WordAccess r, int slots) {
    if (Integer.compareUnsigned(slots, LARGEST_FRAME) > 0
        || r.base + ((long) slots << 3) > r.stackEnd) {
      growStackTo(r, wordsWithFrame(r, ((r.base - r.stackStart) >> 3) - 1, slots));
    }
  }

  private static void growStackTo(WordAccess r, long slots) {
    r.core.driver().beforeAllocation();
    for (int attempt = 0; !ensureStack(r, slots); attempt++) {
      r.core.driver().beforeRetry(attempt, slots << 3);
    }
  }

  private static boolean ensureStack(WordAccess r, long slots) {
    r.flush();
    boolean ensured = r.core.context().stacks().ensureStack(r.current, slots);
    r.reload();
    return ensured;
  }

  // ---- leave ----

  static void leave(WordAccess r) {
    MethodHandle late = Late.LEAVE;
    while (true) {
      try {
        late.invokeExact(r);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doLeave(WordAccess r) {
    r.checkStep();
    leaveFrame(r);
    r.settle();
  }

  static void leaveFrame(WordAccess r) {
    long link = r.link(r.base);
    checkLeaves(r, link);
    if (hasReturnBarrier(r)) {
      long _ = leaveThroughBarrier(r, Values.UNDEFINED, link);
    } else {
      dropSlots(r);
    }
    popFrame(r, link);
  }

  static void leave(WordAccess r, int s, int d) {
    MethodHandle late = Late.LEAVE_WITH;
    while (true) {
      try {
        late.invokeExact(r, s, d);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doLeave(WordAccess r, int s, int d) {
    r.checkStep();
    long at = r.slot(s);
    long link = r.link(r.base);
    checkLeaves(r, link);
    int callerSize = (int) link & ThreadLayout.LINK_MASK;
    if (Integer.compareUnsigned(d, callerSize) >= 0) {
      throw new HeapUsageException("no slot " + d + " in the caller's frame of " + callerSize);
    }
    long v = r.take(at);
    if (hasReturnBarrier(r)) {
      v = leaveThroughBarrier(r, v, link);
    } else {
      dropSlots(r);
    }
    popFrame(r, link);
    r.give(r.base + ((long) d << 3), v);
  }

  static int leave(WordAccess r, int first, int count, int d, int wanted) {
    MethodHandle late = Late.LEAVE_RESULTS;
    while (true) {
      try {
        return (int) late.invokeExact(r, first, count, d, wanted);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static int doLeave(WordAccess r, int first, int count, int d, int wanted) {
    r.checkStep();
    long from = r.slots(first, count);
    long link = r.link(r.base);
    checkLeaves(r, link);
    int callerSize = (int) link & ThreadLayout.LINK_MASK;
    int landing = landing(callerSize, count, d, wanted);
    int n = Math.min(count, landing);
    long callerBase = r.base - (Registers.distance(link) << 3);
    long to = callerBase + ((long) d << 3);
    r.drop(r.base, from);
    r.drop(from + ((long) n << 3), r.base + ((long) r.size << 3));
    r.drop(to, to + ((long) Math.min(landing, callerSize - d) << 3));
    if (hasReturnBarrier(r)) {
      if (r.callBase == r.base) {
        dropCalls(r);
      }
      r.leaveWith(from, n, callerBase);
    }
    popFrame(r, link);
    widen(r, d + landing);
    r.move(from, to, n);
    r.fill(to + ((long) n << 3), landing - n);
    r.settle();
    return n;
  }

  /**
   * Checks a landing of values in a frame that may grow.
   *
   * @param size the frame's number of slots
   * @param wanted the number of slots to write; all values if negative
   * @return the number of slots that are written
   */
  static int landing(int size, int count, int d, int wanted) {
    int landing = wanted < 0 ? count : wanted;
    boolean there = d >= 0 && d <= size && (wanted < 0 || wanted <= size - d);
    if (!there || wanted < Mutator.ALL) {
      throw noLanding(size, landing, d, wanted);
    }
    checkSize((long) d + landing);
    return landing;
  }

  private static HeapUsageException noLanding(int size, int landing, int d, int wanted) {
    return wanted < Mutator.ALL
        ? new HeapUsageException(
            "no number of results: " + wanted + "; " + Mutator.ALL + " for all")
        : Registers.noSlots(d, landing, "the frame they are for,", size);
  }

  /** Gives a frame at the end of the value stack more slots, if it has fewer. */
  static void widen(WordAccess r, int slots) {
    if (slots > r.size) {
      r.size = slots;
      r.top = r.base + ((long) slots << 3);
    }
  }

  static void leaveTo(WordAccess r, int depth) {
    try {
      r.check();
      if (depth < 0 || depth > r.depth) {
        throw new HeapUsageException("no frame at depth " + depth + " of " + r.depth);
      }
      while (r.depth > depth) {
        leaveFrame(r);
      }
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Makes no call between its first and last change, as the Java stack may end at any call. */
  private static void popFrame(WordAccess r, long link) {
    long callerBase = r.base - (Registers.distance(link) << 3);
    r.top = r.base - 8;
    r.base = callerBase;
    r.size = (int) link & ThreadLayout.LINK_MASK;
    r.depth--;
  }

  /** Refuses to leave the bottom frame; the frame below may be one that a snapshot has to take. */
  static void checkLeaves(WordAccess r, long link) {
    long distance = Registers.distance(link) << 3;
    if (distance == 0) {
      throw noFrameToLeave(r);
    }
    if (r.base - distance < r.limit) {
      r.takeFrame(r.base - distance);
    }
  }

  private static HeapUsageException noFrameToLeave(WordAccess r) {
    return new HeapUsageException(
        r.isCalled()
            ? "no frame to leave: the heap opened this one for the finalizer or callback that runs"
            : "no frame to leave: this one is the bottom of its thread");
  }

  private static void dropSlots(WordAccess r) {
    r.drop(r.base, r.base + ((long) r.size << 3));
  }

  private static boolean hasReturnBarrier(WordAccess r) {
    return r.callBase == r.base || r.isAtBarrier(r.base);
  }

  /** Drops the slots of a frame with a return barrier; returns the place of the result. */
  private static long leaveThroughBarrier(WordAccess r, long result, long link) {
    if (r.callBase == r.base) {
      dropCalls(r);
    }
    dropSlots(r);
    return r.leave(result, r.base - (Registers.distance(link) << 3));
  }

  /** Removes the entries of the call stack that belong to the frame. */
  private static void dropCalls(WordAccess r) {
    long used = r.callsUsed();
    while (used > 0 && r.frameOf(r.callEntry(used - 1)) == r.base) {
      used--;
      r.drop(r.mem.get(r.callEntry(used) + ThreadLayout.CALL_REFERENCE));
    }
    r.setCallsUsed(used);
    r.reloadCalls();
  }

  // ---- the frame's size ----

  static void tailCall(WordAccess r, int slots, int first, int args) {
    MethodHandle late = Late.TAIL_CALL;
    while (true) {
      try {
        late.invokeExact(r, slots, first, args);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doTailCall(WordAccess r, int slots, int first, int args) {
    r.check();
    if (args < 0 || args > slots || first < 0 || first > r.size - args) {
      throw noArguments(slots, first, args);
    }
    ensureSize(r, slots);
    if (r.callBase == r.base) {
      dropCalls(r);
    }
    long base = r.base;
    long from = base + ((long) first << 3);
    r.drop(base, from);
    r.drop(from + ((long) args << 3), base + ((long) r.size << 3));
    r.move(from, base, args);
    r.fill(base + ((long) args << 3), slots - args);
    r.size = slots;
    r.top = base + ((long) slots << 3);
    r.compacted();
    r.settle();
  }

  static void resizeFrame(WordAccess r, int slots) {
    try {
      r.check();
      ensureSize(r, slots);
      long end = r.base + ((long) slots << 3);
      r.drop(end, r.top);
      r.fill(r.top, slots - r.size);
      r.size = slots;
      r.top = end;
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  // ---- the bottom frame ----

  /** Gives the empty bottom frame of the running thread as many of the slots as fit. */
  static void fillBottom(WordAccess r, int slots) {
    r.size = (int) Math.min(slots, (r.stackEnd - r.base) >> 3);
    r.fill(r.base, r.size);
    r.top = r.base + ((long) r.size << 3);
  }

  /** Drops all slots of the bottom frame of the running thread. */
  static void emptyBottom(WordAccess r) {
    if (r.callBase == r.base) {
      dropCalls(r);
    }
    dropSlots(r);
    r.size = 0;
    r.top = r.base;
  }

  // ---- slots that become undefined ----

  static void compact(WordAccess r, int a, int b) {
    r.check();
    try {
      long atA = r.slot(a);
      long atB = r.slot(b);
      long va = r.mem.get(atA);
      long vb = r.mem.get(atB);
      r.core.context().section().enter();
      r.mem.put(atA, Values.UNDEFINED); // the two values keep their counts
      r.mem.put(atB, Values.UNDEFINED);
      r.clear(r.base, r.base + ((long) r.size << 3));
      r.mem.put(atA, va);
      r.mem.put(atB, vb);
      r.core.context().section().leave();
      r.compacted();
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static void compact(WordAccess r, int[] keep) {
    r.check();
    Objects.requireNonNull(keep, "keep");
    try {
      for (int k : keep) {
        long _ = r.slot(k);
      }
      for (int i = 0; i < r.size; i++) {
        boolean kept = false;
        for (int k : keep) {
          kept |= k == i;
        }
        if (!kept) {
          r.clear(r.slot(i), r.slot(i) + 8);
        }
      }
      r.compacted();
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static void wipe(WordAccess r, int from) {
    r.check();
    try {
      if (from < 0 || from > r.size) {
        throw r.noSlot(from);
      }
      r.clear(r.base + ((long) from << 3), r.base + ((long) r.size << 3));
      r.compacted();
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  // ---- frames further out ----

  static void peek(WordAccess r, int d, int level, int s) {
    try {
      r.check();
      long at = r.slot(d);
      int slots = sizeAt(r, level);
      if (Integer.compareUnsigned(s, slots) >= 0) {
        throw new HeapUsageException("no slot " + s + " in a frame of " + slots);
      }
      r.writeSlot(at, r.mem.get(baseAt(r, level) + ((long) s << 3)));
      r.settle();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static int size(WordAccess r, int level) {
    r.checkThread();
    return sizeAt(r, level);
  }

  private static int sizeAt(WordAccess r, int level) {
    return level == 0 ? r.size : (int) r.link(baseAt(r, level - 1)) & ThreadLayout.LINK_MASK;
  }

  static int depth(WordAccess r) {
    r.checkThread();
    return r.depth;
  }

  static int find(WordAccess r, int from, int code, int other) {
    r.checkThread();
    long at = baseAt(r, from);
    int slots = sizeAt(r, from);
    for (int level = from; ; level++) {
      int found = slots == 0 ? -1 : r.codeOf(r.mem.get(at));
      if (found >= 0 && (found == code || found == other)) {
        return level;
      }
      if (level == r.depth) {
        return -1;
      }
      long link = r.link(at);
      slots = (int) link & ThreadLayout.LINK_MASK;
      at -= Registers.distance(link) << 3;
    }
  }

  private static long baseAt(WordAccess r, int level) {
    if (level < 0 || level > r.depth) {
      throw new HeapUsageException("no frame " + level + " levels out of " + r.depth);
    }
    long at = r.base;
    for (int i = 0; i < level; i++) {
      at -= Registers.distance(r.link(at)) << 3;
    }
    return at;
  }
}
