package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
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
final class Coroutines {
  /** Stands for the resumer, which no slot names. */
  private static final int RESUMER = -1;

  private final Mutator m;
  private final Memory mem;
  private final HeapParts context;
  private final Driver driver;
  private final FrameSteps frames;
  private final @Nullable ReferenceCounts counts;
  private final Scanner.Visitor show;

  Coroutines(
      Mutator mutator, HeapParts context, Collector collector, Driver driver, FrameSteps frames) {
    this.m = mutator;
    this.mem = mutator.mem;
    this.context = context;
    this.driver = driver;
    this.frames = frames;
    this.counts = mutator.counts;
    this.show = place -> mutator.shadeValue(mem.get(place));
  }

  // ---- the threads ----

  long thread(int s) {
    return m.element(s, Layout.THREAD, "thread");
  }

  long suspended(int s) {
    long t = thread(s);
    if (field(t, ThreadLayout.STATE) != 0) {
      throw new HeapUsageException("thread is running: slot " + s);
    }
    return t;
  }

  ThreadState state(int s) {
    long t = thread(s);
    if (field(t, ThreadLayout.STATE) != 0) {
      return t == m.current ? ThreadState.RUNNING : ThreadState.WAITING;
    }
    return field(t, ThreadLayout.DEPTH) == 0 ? ThreadState.IDLE : ThreadState.SUSPENDED;
  }

  private long field(long thread, int field) {
    return Values.raw(mem.get(thread + field));
  }

  /** Makes a thread that does not run the current one. */
  void switchTo(long t) {
    m.evacuate();
    if (context.barrier()) { // a running thread's slots change without a barrier
      Scanner.forEachPlace(mem, t, show);
    }
    m.flush();
    m.count(t);
    mem.put(t + ThreadLayout.RESUMER, m.current); // the current thread takes its count along
    mem.put(t + ThreadLayout.STATE, Values.ofRaw(1));
    m.current = t;
    m.reload();
  }

  void switchBack() {
    long t = goBack();
    if (counts != null) {
      counts.decrement(t);
      counts.settle();
    }
  }

  /** Makes the resumer the current thread; returns the old thread, which keeps one count. */
  private long goBack() {
    m.evacuate();
    m.flush();
    long t = m.current;
    m.current = mem.get(t + ThreadLayout.RESUMER);
    mem.put(t + ThreadLayout.RESUMER, Values.NULL);
    mem.put(t + ThreadLayout.STATE, Values.ofRaw(0));
    m.reload();
    return t;
  }

  void checkResumed() {
    if (!Values.isReference(mem.get(m.current + ThreadLayout.RESUMER)) || m.isCalled()) {
      throw new HeapUsageException("this thread was not resumed");
    }
  }

  // ---- in a new frame ----

  void resume(int thread, int slots, int first, int args) {
    m.check();
    long _ = frames.slots(first, args);
    ensureFrame(thread, slots, args);
    escape(first, args);
    m.section.enter(); // a switch that is broken off breaks the heap
    switchTo(suspended(thread));
    int pushed = 0;
    if (m.depth == 0) { // the bottom frame, which becomes empty
      pushed = m.size;
      frames.copyWords(m.base, m.base + 8, pushed);
      m.size = 0;
      m.top = m.base;
    }
    m.pushFrame(slots, pushed + args);
    long from = frame(resumer()) + ((long) first << 3);
    frames.copyWords(from, m.base + ((long) pushed << 3), args);
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) args << 3));
    }
    m.section.leave();
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
    long words = m.wordsWithFrame(field(t, bottom ? ThreadLayout.BASE : ThreadLayout.TOP), slots);
    if (pushed + args > slots) {
      throw new HeapUsageException(
          "no "
              + (pushed + args)
              + " arguments, "
              + pushed
              + " of them pushed, for "
              + slots
              + " slots");
    }
    return words;
  }

  // ---- with values, into a frame ----

  int resumeInto(int thread, int first, int count, int d, int wanted) {
    m.check();
    long _ = suspended(thread);
    long _ = frames.slots(first, count);
    int landing = ensureLanding(thread, count, d, wanted);
    int n = Math.min(count, landing);
    escape(first, n);
    m.section.enter();
    switchTo(suspended(thread));
    land(frame(resumer()) + ((long) first << 3), n, d, landing);
    m.section.leave();
    m.settle();
    return n;
  }

  int suspend(int first, int count, int d, int wanted, boolean finishes) {
    m.check();
    checkResumed();
    long _ = frames.slots(first, count);
    int landing = ensureLanding(RESUMER, count, d, wanted);
    int n = Math.min(count, landing);
    m.section.enter();
    long t = goBack();
    land(frame(t) + ((long) first << 3), n, d, landing);
    if (finishes) {
      dropFrames(t);
    }
    if (counts != null) {
      counts.decrement(t);
    }
    m.section.leave();
    m.settle();
    return n;
  }

  private long resumer() {
    return mem.get(m.current + ThreadLayout.RESUMER);
  }

  private long target(int thread) {
    return thread == RESUMER ? resumer() : suspended(thread);
  }

  /** Returns the number of slots of a thread's present frame. */
  private long frame(long t) {
    return ThreadLayout.stackStart(mem, t) + (field(t, ThreadLayout.BASE) << 3);
  }

  /** Lets values escape to places that all threads can refer to. */
  private void escape(int first, int count) {
    if (m.frames != null) {
      for (int i = 0; i < count; i++) {
        long _ = m.escaping(m.value(first + i));
      }
    }
  }

  /** Makes room for values that land in a frame, which may grow. */
  private int ensureLanding(int thread, int count, int d, int wanted) {
    int landing = landing(thread, count, d, wanted);
    if (wordsToLand(thread, d, landing) > field(target(thread), ThreadLayout.CAPACITY)) {
      driver.beforeAllocation();
      for (int attempt = 0;
          !context.stacks().ensureStack(target(thread), wordsToLand(thread, d, landing));
          attempt++) {
        driver.beforeRetry(attempt, wordsToLand(thread, d, landing) << 3);
      }
      long _ = landing(thread, count, d, wanted); // checks again, as a finalizer may push and pop
    }
    return landing;
  }

  private int landing(int thread, int count, int d, int wanted) {
    int size = (int) field(target(thread), ThreadLayout.SIZE);
    return FrameSteps.landing(size, count, d, wanted);
  }

  private long wordsToLand(int thread, int d, int landing) {
    long words = field(target(thread), ThreadLayout.BASE) + d + landing;
    if (words > m.maxStack) {
      throw m.valueStackFull(words);
    }
    return words;
  }

  /** Writes values to the running frame, from another stack. */
  private void land(long from, int values, int d, int landing) {
    long to = m.base + ((long) d << 3);
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) values << 3));
      frames.drop(to, to + ((long) Math.min(landing, m.size - d) << 3));
    }
    frames.widen(d + landing);
    frames.copyWords(from, to, values);
    m.fill(to + ((long) values << 3), landing - values);
  }

  /** Leaves all frames of a thread that ran until now, and empties its bottom frame. */
  private void dropFrames(long t) {
    if (counts != null) {
      counts.decrementSlice(ThreadLayout.stackStart(mem, t), ThreadLayout.stackEnd(mem, t));
      counts.decrementSlice(ThreadLayout.callsStart(mem, t), ThreadLayout.callsEnd(mem, t));
    }
    mem.put(t + ThreadLayout.BASE, Values.ofRaw(1));
    mem.put(t + ThreadLayout.SIZE, Values.ofRaw(0));
    mem.put(t + ThreadLayout.TOP, Values.ofRaw(1));
    mem.put(t + ThreadLayout.DEPTH, Values.ofRaw(0));
    mem.put(t + ThreadLayout.CALLS_USED, Values.ofRaw(0));
  }

  // ---- Java objects ----

  void setObject(int s, @Nullable Object value) {
    long t = thread(s);
    int n = (int) field(t, ThreadLayout.OBJECT);
    mem.put(t + ThreadLayout.OBJECT, Values.ofRaw(context.threadObjects().set(n, value)));
  }

  @Nullable Object object(int s) {
    return context.threadObjects().get((int) field(thread(s), ThreadLayout.OBJECT));
  }
}
