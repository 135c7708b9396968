package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.ThreadState;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.testing.Tier;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Coroutines: what is handed over when they are resumed, suspended and finished. */
@Tag("L11")
class CoroutinesTest extends AllCollectors {
  CoroutinesTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false", "threads.initial-stack-slots = 16");
  private final Mutator t = heap.mutator();

  private void record(int slot, int number) {
    t.newRecord(slot, 1);
    t.storeInt(slot, 0, number);
  }

  /** What the slots of the frame hold: the numbers of records, -1 for undefined. */
  private List<Integer> held(int from, int to) {
    List<Integer> held = new ArrayList<>();
    for (int i = from; i < to; i++) {
      held.add(t.isUndefined(i) ? -1 : t.loadInt(i, 0));
    }
    return held;
  }

  @Test
  void whatWasPushedAndTheArgumentsAreTheFirstSlots() {
    t.enter(4);
    t.newThread(0);
    assertThat(t.threadState(0)).isEqualTo(ThreadState.IDLE);
    record(1, 1);
    t.push(0, 1);
    record(1, 2);
    t.push(0, 1);
    record(2, 3);
    record(3, 4);
    t.resume(0, 6, 2, 2);
    heap.collect();
    assertThat(held(0, 6)).containsExactly(1, 2, 3, 4, -1, -1);
    assertThat(t.frameSize()).isEqualTo(6);
    assertThat(t.frameDepth()).isEqualTo(1);
    t.suspend();
    assertThat(t.threadState(0)).isEqualTo(ThreadState.IDLE);
    assertThat(held(1, 4)).as("the resumer's own").containsExactly(2, 3, 4);
    assertThatThrownBy(() -> t.pop(0, 1)).hasMessageContaining("value stack is empty");
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(3);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aThreadInAFrameGetsANewOneWithTheArguments() {
    t.enter(3);
    t.newThread(0);
    record(1, 1);
    t.resume(0, 2, 1, 1);
    int _ = t.suspend(0, 0, 0, 0);
    assertThat(t.threadState(0)).isEqualTo(ThreadState.SUSPENDED);
    record(2, 2);
    t.push(0, 2); // onto the frame in which it stands
    t.resume(0, 3, 1, 2);
    assertThat(held(0, 3)).containsExactly(1, 2, -1);
    t.leave();
    assertThat(held(0, 3)).containsExactly(1, -1, 2);
    t.suspend();
    assertThat(t.threadState(0)).isEqualTo(ThreadState.IDLE);
  }

  @Test
  void valuesGoToAndFroWithoutFrames() {
    t.enter(4);
    t.newThread(0);
    t.resume(0, 2);
    int _ = t.suspend(0, 0, 0, 0);
    for (int i = 0; i < 500; i++) {
      record(1, i);
      record(2, i + 1);
      assertThat(t.resumeInto(0, 1, 2, 0, 2)).isEqualTo(2);
      assertThat(held(0, 2)).containsExactly(i, i + 1);
      assertThat(t.frameDepth()).isEqualTo(1);
      record(0, i + 2);
      assertThat(t.suspend(0, 1, 2, 2)).as("fewer").isEqualTo(1);
      assertThat(held(1, 4)).containsExactly(i, i + 2, -1);
      if (i % 50 == 0) {
        heap.collect();
        assertThat(heap.inspect().verify()).isEmpty();
      }
    }
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(3);
  }

  @Test
  void withAllValuesTheFrameGrowsOnBothSides() {
    t.enter(60);
    t.newThread(0);
    for (int i = 1; i < 60; i++) {
      record(i, i);
    }
    t.resume(0, 1);
    int _ = t.suspend(0, 0, 0, 0);
    assertThat(t.resumeInto(0, 1, 59, 1, Mutator.ALL)).isEqualTo(59);
    assertThat(t.frameSize()).isEqualTo(60);
    assertThat(t.loadInt(59, 0)).isEqualTo(59);
    t.resizeFrame(100);
    assertThat(t.suspend(0, 100, 60, Mutator.ALL)).isEqualTo(100);
    assertThat(t.frameSize()).isEqualTo(160);
    heap.collect();
    assertThat(held(60, 120).subList(1, 60)).isEqualTo(held(1, 60));
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aThreadThatFinishesIsAsNew() {
    t.enter(4);
    t.newThread(0);
    record(1, 1);
    t.push(0, 1);
    t.resume(0, 2);
    t.newFunction(1, 0, 0);
    t.pushCatcher(0, 3);
    t.call(2, 1);
    record(0, 7);
    record(1, 8);
    t.enter(2, 0, 2);
    assertThat(t.finish(0, 2, 2, 1)).as("surplus").isEqualTo(1);
    assertThat(t.frameDepth()).isEqualTo(1);
    assertThat(held(1, 4)).containsExactly(1, 7, -1);
    assertThat(t.threadState(0)).isEqualTo(ThreadState.IDLE);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(2);
    assertThat(count(heap, Kind.FUNCTION)).isZero();
    t.resume(0, 2, 1, 1);
    assertThat(held(0, 2)).containsExactly(1, -1);
    assertThat(t.raise(0)).as("no catcher is left").isEqualTo(-1);
    assertThat(t.finish(0, 0, 0, 0)).isZero();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aThreadThatNobodyHoldsGoesAsItFinishes() {
    t.enter(3);
    t.newThread(0);
    WeakRef thread = t.newWeak(0);
    t.resume(0, 2);
    record(0, 5);
    int _ = t.suspend(0, 0, 0, 1); // over the slot that holds the thread
    heap.collect();
    assertThat(thread.isCleared()).isTrue();
    t.newThread(0);
    WeakRef second = t.newWeak(0);
    t.resume(0, 2);
    record(1, 6);
    assertThat(t.finish(1, 1, 0, 1)).isEqualTo(1);
    assertThat(t.loadInt(0, 0)).isEqualTo(6);
    heap.collect();
    assertThat(second.isCleared()).isTrue();
    assertThat(count(heap, Kind.THREAD)).isEqualTo(1);
  }

  @Test
  void whatIsRefusedChangesNothing() {
    t.enter(4);
    t.newThread(0);
    record(1, 1);
    t.push(0, 1);
    t.push(0, 1);
    assertRefused("no 3 arguments, 2 of them pushed, for 2 slots", () -> t.resume(0, 2, 1, 1));
    assertRefused("no 2 arguments", () -> t.resume(0, 0));
    assertRefused("no 2 slots from 3", () -> t.resume(0, 9, 3, 2));
    assertRefused("negative frame size", () -> t.resume(0, -1, 0, 0));
    assertRefused("not a thread", () -> t.resume(1, 2, 0, 0));
    assertRefused("not a thread", () -> t.resumeInto(1, 0, 0, 0, 0));
    assertRefused("no 2 slots from 1 on in the frame", () -> t.resumeInto(0, 1, 2, 1, 2));
    assertRefused("no 0 slots from 3 on in the frame", () -> t.resumeInto(0, 0, 0, 3, -1));
    assertRefused("no number of results: -2", () -> t.resumeInto(0, 0, 0, 0, -2));
    assertRefused("not resumed", () -> t.suspend(0, 0, 0, 0));
    assertRefused("not resumed", () -> t.finish(0, 0, 0, 0));
    t.resume(0, 2);
    assertThat(held(0, 2)).containsExactly(1, 1);
    assertRefused("no 1 slots from 4 on in the frame", () -> t.suspend(0, 1, 4, 1));
    assertRefused("no 3 slots", () -> t.suspend(0, 3, 0, 3));
    assertRefused("no 1 slots from 4 on in the frame", () -> t.finish(0, 1, 4, 1));
    t.currentThread(1);
    assertThat(t.threadState(1)).isEqualTo(ThreadState.RUNNING);
    assertRefused("thread is running", () -> t.resume(1, 0, 0, 0));
    assertRefused("thread is running", () -> t.resumeInto(1, 0, 0, 0, 0));
    t.suspend();
    t.currentThread(3);
    t.resume(0, 2, 3, 1);
    assertThat(t.threadState(0)).as("the main thread").isEqualTo(ThreadState.WAITING);
    assertRefused("thread is running", () -> t.resumeInto(0, 0, 0, 0, 0));
    t.suspend();
    assertThat(t.same(0, 3)).isFalse();
    Heap bounded = open("threads.max-stack-slots = 100");
    Mutator b = bounded.mutator();
    b.enter(60);
    b.newThread(0);
    assertThatThrownBy(() -> b.resume(0, 100)).isInstanceOf(ValueStackFullException.class);
    b.resume(0, 2);
    int _ = b.suspend(0, 0, 0, 0);
    b.resizeFrame(90);
    assertThatThrownBy(() -> b.resumeInto(0, 0, 90, 2, 97)).isInstanceOf(HeapUsageException.class);
    assertThat(b.resumeInto(0, 0, 90, 2, Mutator.ALL)).isEqualTo(90);
    assertThatThrownBy(() -> b.suspend(0, 92, 90, Mutator.ALL))
        .isInstanceOf(ValueStackFullException.class);
    assertThat(b.frameSize()).isEqualTo(92);
    int _ = b.finish(0, 0, 0, 0);
  }

  private static void assertRefused(String message, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining(message);
  }

  @Test
  void threadsHaveJavaObjects() {
    t.enter(3);
    t.newThread(0);
    assertThat(t.threadObject(0)).isNull();
    t.setThreadObject(0, "first");
    heap.collect();
    assertThat(t.threadObject(0)).isEqualTo("first");
    t.setThreadObject(0, "second");
    t.newThread(1);
    t.setThreadObject(1, "other");
    assertThat(t.threadObject(0)).isEqualTo("second");
    t.setThreadObject(0, null);
    assertThat(t.threadObject(0)).isNull();
    t.setThreadObject(0, "third");
    t.currentThread(2);
    t.setThreadObject(2, "main");
    assertThat(t.threadObject(0)).isEqualTo("third");
    assertThat(t.threadObject(1)).isEqualTo("other");
    assertThat(t.threadObject(2)).isEqualTo("main");
    assertRefused("no slot 3", () -> t.threadObject(3));
    t.setInt(0, 1);
    assertRefused("not an element", () -> t.setThreadObject(0, "x"));
  }

  @Test
  void aJavaObjectGoesWithItsThread() throws InterruptedException {
    t.enter(3);
    t.newThread(0);
    List<WeakReference<Object>> objects = new ArrayList<>();
    attach(0, objects);
    t.newThread(1);
    attach(1, objects);
    t.setUndefined(0);
    heap.collect();
    assertThat(t.threadObject(1)).isNotNull();
    attach(1, objects); // in its place
    Heap second = open("");
    second.mutator().enter(1);
    second.mutator().newThread(0);
    Object object = new Object();
    WeakReference<Object> reference = new WeakReference<>(object);
    second.mutator().setThreadObject(0, object);
    object = null;
    second.close();
    // All three at once: the JVM's collection takes longest.
    assertGone(objects.get(0));
    assertGone(objects.get(1));
    assertGone(reference);
    assertThat(second.isClosed()).isTrue();
    assertThat(t.threadObject(1)).isSameAs(objects.get(2).get());
  }

  private void attach(int slot, List<WeakReference<Object>> objects) {
    Object object = new Object();
    t.setThreadObject(slot, object);
    objects.add(new WeakReference<>(object));
  }

  private static void assertGone(WeakReference<Object> reference) throws InterruptedException {
    for (int i = 0; i < 100 && reference.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(reference.get()).isNull();
  }

  /** Random transfers beside a model, whose slots hold the numbers of records; -1 is undefined. */
  @Test
  @Tag("seeds")
  void randomTransfersAreThoseOfAModel() {
    long seed = Long.getLong("gleaner.seed", System.nanoTime());
    for (String settings :
        List.of(
            "",
            "torture.gc = every-allocation, memory.max = 1MiB",
            "memory.max = 256KiB",
            "collectors.framestack.mode = copying")) {
      new Transfers(open(settings, "threads.initial-stack-slots = 16"), new Random(seed), seed)
          .run();
    }
  }

  /** A few threads, held by globals, that resume one another. */
  private static final class Transfers {
    private static final int STEPS = Tier.number(1000, 4000);
    private static final int THREADS = 4;
    private static final int THREAD = 1_000_000;

    private final Heap h;
    private final Mutator m;
    private final Random random;
    private final long seed;
    private final GlobalRef[] globals = new GlobalRef[THREADS];
    private final List<List<List<Integer>>> frames = new ArrayList<>();
    private final List<Integer> running = new ArrayList<>(List.of(0));
    private int made;

    Transfers(Heap h, Random random, long seed) {
      this.h = h;
      this.m = h.mutator();
      this.random = random;
      this.seed = seed;
      for (int i = 0; i < THREADS; i++) {
        frames.add(new ArrayList<>(List.of(new ArrayList<>())));
      }
    }

    private List<List<Integer>> stack() {
      return frames.get(running.getLast());
    }

    private List<Integer> top() {
      return stack().getLast();
    }

    private static List<Integer> undefined(int n) {
      return new ArrayList<>(Collections.nCopies(n, -1));
    }

    void run() {
      m.enter(1);
      stack().add(undefined(1));
      for (int i = 1; i < THREADS; i++) {
        m.newThread(0);
        globals[i] = h.newGlobal();
        m.setGlobal(globals[i], 0);
      }
      m.setUndefined(0);
      for (int step = 0; step < STEPS; step++) {
        step();
        assertThat(m.frameDepth()).isEqualTo(stack().size() - 1);
        assertThat(m.frameSize()).isEqualTo(top().size());
        for (int i = 0; i < m.frameSize(); i++) {
          int v = top().get(i);
          String what = "seed " + seed + ", step " + step + ", slot " + i;
          assertThat(m.isUndefined(i)).as(what).isEqualTo(v < 0);
          if (v >= THREAD) {
            assertThat(m.kind(i)).as(what).isEqualTo(Kind.THREAD);
          } else if (v >= 0) {
            assertThat(m.loadInt(i, 0)).as(what).isEqualTo(v);
          }
        }
        if (step % 100 == 0) {
          assertThat(h.inspect().verify()).as("seed " + seed).isEmpty();
        }
      }
    }

    private void step() {
      List<Integer> top = top();
      int size = top.size();
      int first = random.nextInt(size + 1);
      int count = Math.min(20, random.nextInt(size - first + 1));
      int thread = 1 + random.nextInt(THREADS - 1);
      boolean canResume = !running.contains(thread);
      List<List<Integer>> there = frames.get(thread);
      int at = size == 0 ? 0 : random.nextInt(size);
      boolean names = size > 0 && canResume && random.nextInt(3) > 0;
      if (names) {
        m.getGlobal(at, globals[thread]);
        top.set(at, THREAD + thread);
      }
      List<Integer> values = new ArrayList<>(top.subList(first, first + count));
      switch (random.nextInt(10)) {
        case 0, 1 -> {
          int pushed = there.size() == 1 ? there.getFirst().size() : 0;
          if (names && there.size() < 5) {
            List<Integer> frame = new ArrayList<>();
            if (pushed > 0) {
              frame.addAll(there.getFirst());
              there.getFirst().clear();
            }
            frame.addAll(values);
            frame.addAll(undefined(1 + random.nextInt(4)));
            m.resume(at, frame.size(), first, count);
            there.add(frame);
            running.add(thread);
          }
        }
        case 2, 3 -> {
          if (names) {
            List<Integer> frame = there.getLast();
            int d = random.nextInt(frame.size() + 1);
            int wanted = wanted(frame, d);
            int landed = m.resumeInto(at, first, count, d, wanted);
            running.add(thread);
            land(landed, values, frame, d, wanted);
          }
        }
        case 4, 5, 6 -> {
          if (running.size() > 1) {
            List<List<Integer>> stack = stack();
            List<Integer> frame = frames.get(running.get(running.size() - 2)).getLast();
            int d = random.nextInt(frame.size() + 1);
            int wanted = wanted(frame, d);
            boolean finishes = random.nextInt(4) == 0;
            int landed =
                finishes ? m.finish(first, count, d, wanted) : m.suspend(first, count, d, wanted);
            running.removeLast();
            land(landed, values, frame, d, wanted);
            if (finishes) {
              stack.clear();
              stack.add(new ArrayList<>());
            }
          }
        }
        case 7 -> {
          if (names && there.getLast().size() < 30) {
            int s = random.nextInt(size);
            m.push(at, s);
            there.getLast().add(top.get(s));
          }
        }
        case 8 -> {
          if (stack().size() < 5 && random.nextBoolean()) {
            m.enter(count + 2, first, count);
            List<Integer> frame = new ArrayList<>(values);
            frame.addAll(undefined(2));
            stack().add(frame);
          } else if (stack().size() > 2) {
            m.leave();
            stack().removeLast();
          }
        }
        default -> {
          for (int i = 0; i < size; i++) {
            m.newRecord(i, 1);
            m.storeInt(i, 0, ++made);
            top.set(i, made);
          }
        }
      }
    }

    private int wanted(List<Integer> frame, int d) {
      int wanted = random.nextInt(frame.size() - d + 2) - 1;
      return frame.size() > 40 ? Math.max(0, wanted) : wanted;
    }

    private void land(int landed, List<Integer> values, List<Integer> frame, int d, int wanted) {
      int written = wanted < 0 ? values.size() : wanted;
      assertThat(landed).isEqualTo(Math.min(values.size(), written));
      for (int i = 0; i < written; i++) {
        int v = i < values.size() ? values.get(i) : -1;
        if (d + i < frame.size()) {
          frame.set(d + i, v);
        } else {
          frame.add(v);
        }
      }
    }
  }
}
