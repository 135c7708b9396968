package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import org.jspecify.annotations.Nullable;

/**
 * Transfers from one thread element to another, with values. A transfer calls no Java code of the
 * program. The heap keeps only the frames of a thread; the program keeps its own position in the
 * thread.
 *
 * <pre>
 *   resume      a new frame: | pushed values, if the thread stands in its bottom frame | arguments |
 *   resumeInto  the thread's present frame; the values land in its slots
 *   suspend     the resumer's frame; the values land in its slots; the thread's frame stays
 *   finish      the same, but all frames of the thread go, so that it is like a new thread
 * </pre>
 *
 * <p>A transfer copies the values after the switch. Then their target is the running frame, whose
 * slots need no write barrier. Under a collector of frames the values become old before the switch,
 * as a coroutine holds only old elements.
 */
final class ThreadAccess {
  /** Stands for the resumer, which no slot names. */
  private static final int RESUMER = -1;

  private final WordAccess r;
  private final Memory mem;
  private final HeapParts context;
  private final Driver driver;
  private final CriticalSection section;
  private final Scanner.Visitor show;

  ThreadAccess(HeapCore core) {
    this.r = core.registers();
    this.mem = core.context().memory();
    this.context = core.context();
    this.driver = core.driver();
    this.section = core.context().section();
    this.show = place -> core.registers().shade(mem.get(place));
  }

  // ---- the threads ----

  void newThread(int d) {
    r.check();
    try {
      long _ = r.slot(d);
      r.setSlot(d, make());
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Makes the heap's first thread, and lets it run. */
  void start() {
    r.main = make();
    r.current = r.main;
    r.count(r.main);
    r.count(r.current);
    mem.put(r.main + ThreadLayout.STATE, Values.ofRaw(1));
    r.reload();
  }

  /** Makes a thread: first its stack, so that nothing ever sees a thread without a stack. */
  long make() {
    driver.beforeAllocation();
    long stack = context.stacks().allocate();
    for (int attempt = 0; stack == 0; attempt++) {
      driver.beforeRetry(attempt, context.stacks().initialBytes());
      stack = context.stacks().allocate();
    }
    long e;
    try {
      e = driver.allocateElement(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS);
    } catch (RuntimeException | Error x) {
      context.functions().free(stack);
      throw x;
    }
    section.enter();
    context.stacks().init(e, stack);
    section.leave();
    return e;
  }

  void current(int d) {
    r.check();
    try {
      r.setSlot(d, r.current);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long thread(int s) {
    return r.element(s, Layout.THREAD, "thread");
  }

  private long suspended(int s) {
    long t = thread(s);
    if (field(t, ThreadLayout.STATE) != 0) {
      throw new HeapUsageException("thread is running: slot " + s);
    }
    return t;
  }

  ThreadState state(int s) {
    r.check();
    long t = thread(s);
    if (field(t, ThreadLayout.STATE) != 0) {
      return t == r.current ? ThreadState.RUNNING : ThreadState.WAITING;
    }
    return field(t, ThreadLayout.DEPTH) == 0 ? ThreadState.IDLE : ThreadState.SUSPENDED;
  }

  private long field(long thread, int field) {
    return Values.raw(mem.get(thread + field));
  }

  /** Makes a thread that does not run the current one. */
  void switchTo(long t) {
    r.evacuate();
    if (context.barrier()) { // a running thread's slots change without a barrier
      Scanner.forEachPlace(mem, t, show);
      context.stackSnapshot().forget(t);
    }
    r.flush();
    r.count(t);
    mem.put(t + ThreadLayout.RESUMER, r.current); // the current thread takes its count along
    mem.put(t + ThreadLayout.STATE, Values.ofRaw(1));
    r.current = t;
    r.reload();
  }

  void switchBack() {
    long t = goBack();
    r.drop(t);
    r.settle();
  }

  /** Makes the resumer the current thread; returns the old thread, which keeps one count. */
  private long goBack() {
    r.evacuate();
    r.flush();
    long t = r.current;
    r.current = mem.get(t + ThreadLayout.RESUMER);
    mem.put(t + ThreadLayout.RESUMER, Values.NULL);
    mem.put(t + ThreadLayout.STATE, Values.ofRaw(0));
    r.reload();
    return t;
  }

  private void checkResumed() {
    if (!Values.isReference(mem.get(r.current + ThreadLayout.RESUMER)) || r.isCalled()) {
      throw new HeapUsageException("this thread was not resumed");
    }
  }

  // ---- the last slot of another thread ----

  void push(int thread, int s) {
    r.check();
    try {
      long _ = r.slot(s);
      if (wordsWithOneMore(thread) > field(suspended(thread), ThreadLayout.CAPACITY)) {
        driver.beforeAllocation();
        // The loop counts anew each time, as a finalizer may push, too.
        for (int attempt = 0;
            !context.stacks().ensureStack(suspended(thread), wordsWithOneMore(thread));
            attempt++) {
          driver.beforeRetry(attempt, wordsWithOneMore(thread) << 3);
        }
      }
      long n = wordsWithOneMore(thread);
      long t = suspended(thread);
      long v = r.escaping(r.value(s));
      r.count(v);
      mem.put(field(t, ThreadLayout.STACK) + ((n - 1) << 3), v);
      mem.put(t + ThreadLayout.TOP, Values.ofRaw(n));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(field(t, ThreadLayout.SIZE) + 1));
      r.remember(t, 0, v);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long wordsWithOneMore(int thread) {
    long t = suspended(thread);
    long n = field(t, ThreadLayout.TOP) + 1;
    FrameAccess.checkStack(r, n);
    FrameAccess.checkSize(field(t, ThreadLayout.SIZE) + 1);
    return n;
  }

  void pop(int thread, int d) {
    r.check();
    try {
      long at = r.slot(d);
      long t = suspended(thread);
      long n = field(t, ThreadLayout.SIZE);
      if (n == 0) {
        throw new HeapUsageException("value stack is empty");
      }
      long last = field(t, ThreadLayout.TOP) - 1;
      long v = mem.get(field(t, ThreadLayout.STACK) + (last << 3));
      r.shadeForSnapshot(v);
      mem.put(t + ThreadLayout.TOP, Values.ofRaw(last));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(n - 1));
      r.put(at, v);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  // ---- in a new frame ----

  void resume(int thread, int slots, int first, int args) {
    r.check();
    try {
      long _ = r.slots(first, args);
      ensureFrame(thread, slots, args);
      r.escape(first, args);
      section.enter(); // a switch that is broken off breaks the heap
      switchTo(suspended(thread));
      int pushed = 0;
      if (r.depth == 0) { // the bottom frame, which becomes empty
        pushed = r.size;
        r.move(r.base, r.base + 8, pushed);
        r.size = 0;
        r.top = r.base;
      }
      FrameAccess.pushFrame(r, slots, pushed + args);
      long from = frame(resumer()) + ((long) first << 3);
      r.move(from, r.base + ((long) pushed << 3), args);
      r.count(from, args);
      section.leave();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Makes room for a frame on the stack of another thread. */
  private void ensureFrame(int thread, int slots, int args) {
    if (wordsWithFrame(thread, slots, args) > field(suspended(thread), ThreadLayout.CAPACITY)) {
      driver.beforeAllocation();
      for (int attempt = 0;
          !context.stacks().ensureStack(suspended(thread), wordsWithFrame(thread, slots, args));
          attempt++) {
        driver.beforeRetry(attempt, wordsWithFrame(thread, slots, args) << 3);
      }
      long _ = wordsWithFrame(thread, slots, args); // checks again, as a finalizer may push
    }
  }

  private long wordsWithFrame(int thread, int slots, int args) {
    long t = suspended(thread);
    boolean bottom = field(t, ThreadLayout.DEPTH) == 0;
    long pushed = bottom ? field(t, ThreadLayout.SIZE) : 0;
    long n =
        FrameAccess.wordsWithFrame(
            r, field(t, bottom ? ThreadLayout.BASE : ThreadLayout.TOP), slots);
    if (pushed + args > slots) {
      throw new HeapUsageException(
          "no %s arguments, %s of them pushed, for %s slots"
              .formatted(pushed + args, pushed, slots));
    }
    return n;
  }

  // ---- with values, into a frame ----

  int resumeInto(int thread, int first, int count, int d, int wanted) {
    r.check();
    try {
      long _ = suspended(thread);
      long _ = r.slots(first, count);
      int landing = ensureLanding(thread, count, d, wanted);
      int n = Math.min(count, landing);
      r.escape(first, n);
      section.enter();
      switchTo(suspended(thread));
      land(frame(resumer()) + ((long) first << 3), n, d, landing);
      section.leave();
      r.settle();
      return n;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void suspend() {
    r.check();
    try {
      checkResumed();
      FrameAccess.checkLeaves(r, r.link(r.base));
      mem.put(r.current + ThreadLayout.STATE, Values.ofRaw(0)); // first: a resume sets it last
      FrameAccess.leaveFrame(r);
      switchBack();
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  int suspend(int first, int count, int d, int wanted, boolean finishes) {
    r.check();
    try {
      checkResumed();
      long _ = r.slots(first, count);
      int landing = ensureLanding(RESUMER, count, d, wanted);
      int n = Math.min(count, landing);
      if (!finishes) {
        driver.dropDeadSlotsOfThread(); // a collection asks about no frame of a suspended thread
      }
      section.enter();
      long t = goBack();
      land(frame(t) + ((long) first << 3), n, d, landing);
      if (finishes) {
        dropFrames(t);
      }
      r.drop(t);
      section.leave();
      r.settle();
      return n;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long resumer() {
    return mem.get(r.current + ThreadLayout.RESUMER);
  }

  private long target(int thread) {
    return thread == RESUMER ? resumer() : suspended(thread);
  }

  /** Returns the number of slots of a thread's present frame. */
  private long frame(long t) {
    return ThreadLayout.stackStart(mem, t) + (field(t, ThreadLayout.BASE) << 3);
  }

  /** Makes room for values that land in a frame, which may grow. */
  private int ensureLanding(int thread, int count, int d, int wanted) {
    long t = target(thread);
    int landing = landing(t, count, d, wanted);
    if (field(t, ThreadLayout.BASE) + d + landing > field(t, ThreadLayout.CAPACITY)) {
      growToLand(thread, d, landing);
      long _ = landing(target(thread), count, d, wanted); // again, as a finalizer may push and pop
    }
    return landing;
  }

  private int landing(long t, int count, int d, int wanted) {
    return FrameAccess.landing((int) field(t, ThreadLayout.SIZE), count, d, wanted);
  }

  private void growToLand(int thread, int d, int landing) {
    long _ = wordsToLand(thread, d, landing);
    driver.beforeAllocation();
    for (int attempt = 0;
        !context.stacks().ensureStack(target(thread), wordsToLand(thread, d, landing));
        attempt++) {
      driver.beforeRetry(attempt, wordsToLand(thread, d, landing) << 3);
    }
  }

  private long wordsToLand(int thread, int d, int landing) {
    long n = field(target(thread), ThreadLayout.BASE) + d + landing;
    FrameAccess.checkStack(r, n);
    return n;
  }

  /** Writes values to the running frame, from another stack. */
  private void land(long from, int values, int d, int landing) {
    long to = r.base + ((long) d << 3);
    r.count(from, values);
    r.drop(to, to + ((long) Math.min(landing, r.size - d) << 3));
    FrameAccess.widen(r, d + landing);
    r.move(from, to, values);
    r.fill(to + ((long) values << 3), landing - values);
  }

  /** Leaves all frames of a thread that ran until now, and empties its bottom frame. */
  private void dropFrames(long t) {
    context.stackSnapshot().take(t, 0);
    r.drop(ThreadLayout.stackStart(mem, t), ThreadLayout.stackEnd(mem, t));
    r.drop(ThreadLayout.callsStart(mem, t), ThreadLayout.callsEnd(mem, t));
    mem.put(t + ThreadLayout.BASE, Values.ofRaw(1));
    mem.put(t + ThreadLayout.SIZE, Values.ofRaw(0));
    mem.put(t + ThreadLayout.TOP, Values.ofRaw(1));
    mem.put(t + ThreadLayout.DEPTH, Values.ofRaw(0));
    mem.put(t + ThreadLayout.CALLS_USED, Values.ofRaw(0));
  }

  // ---- Java objects ----

  void setObject(int s, @Nullable Object value) {
    r.check();
    try {
      long t = thread(s);
      int n = (int) field(t, ThreadLayout.OBJECT);
      mem.put(t + ThreadLayout.OBJECT, Values.ofRaw(context.threadObjects().set(n, value)));
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  @Nullable Object object(int s) {
    r.check();
    return context.threadObjects().get((int) field(thread(s), ThreadLayout.OBJECT));
  }
}
