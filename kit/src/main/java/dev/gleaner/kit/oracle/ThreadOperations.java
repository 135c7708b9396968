package dev.gleaner.kit.oracle;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.kit.oracle.RangeOperations.Landing;
import dev.gleaner.kit.oracle.RangeOperations.Range;
import dev.gleaner.kit.oracle.Script.Scope;
import dev.gleaner.kit.oracle.ShadowThread.Frame;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;

/** Threads: resumed, suspended, pushed to and popped from. */
record ThreadOperations(Twin twin, FrameOperations frames) {
  private static final int DEEPEST = 4;

  List<Operation> all() {
    return List.of(
        new Operation("new thread", 4, this::newThread).alone(),
        new Operation("resume", 5, this::resume),
        new Operation("suspend", 4, this::suspend),
        new Operation("resume with arguments", 4, this::resumeWithArguments).unsayable(),
        new Operation("resume with values", 6, this::resumeWithValues).unsayable(),
        new Operation("suspend with values", 6, this::suspendWithValues).unsayable(),
        new Operation("attach an object", 1, twin.on(Kind.THREAD, this::attach)).unsayable(),
        new Operation("yield from a call", 4, this::yieldFromCall).unsayable(),
        new Operation("push", 7, this::push).amongCalls(1),
        new Operation("pop", 5, this::pop));
  }

  private void newThread(Dice dice) {
    int d = twin.slot(dice);
    twin.make(d, "thread " + twin.name(d), () -> twin.t.newThread(d), twin.shadow::newThread);
  }

  private int suspended(Dice dice) {
    return twin.find(
        dice, v -> v instanceof ShadowElement e && e.kind == Kind.THREAD && !e.asThread().running);
  }

  private void resume(Dice dice) {
    int s = suspended(dice);
    int n = FrameOperations.frameSize(dice);
    if (canResume(s)) {
      resume(s, n);
    }
  }

  private boolean canResume(int s) {
    int resumers = 0;
    for (ShadowElement e = twin.shadow.current; e != null; e = e.asThread().resumer) {
      resumers++;
    }
    return s >= 0 && resumers <= DEEPEST && twin.element(s).asThread().depth() <= DEEPEST;
  }

  private void resume(int s, int n) {
    String header = "resume " + twin.name(s);
    twin.shadow.finalizers.beginOperation();
    twin.script.note(header);
    int _ = twin.t.resumeInto(s, 0, 0, 0, 0); // as a scenario does it: what was pushed stays
    twin.shadow.switchTo(twin.element(s));
    try {
      twin.t.enter(n);
    } catch (HeapExhaustedException e) { // the frame in which the thread stands may have no slots
      int _ = twin.t.suspend(0, 0, 0, 0);
      twin.shadow.switchBack();
      throw e;
    }
    twin.shadow.thread().frames.add(new Frame(n, twin.script.open(Scope.RESUME, header)));
  }

  /** In a new frame; what was pushed onto an idle thread goes along. */
  private void resumeWithArguments(Dice dice) {
    int s = suspended(dice);
    int n = FrameOperations.frameSize(dice);
    Range args = Range.of(twin.frame(), dice);
    if (!canResume(s)) {
      return;
    }
    ShadowThread thread = twin.element(s).asThread();
    List<Object> first = thread.depth() == 0 ? thread.top().slots : new ArrayList<>();
    int passed = first.size() + args.count();
    if (passed > n - ShadowThread.SCRATCH) {
      return;
    }
    twin.cannotSay("resume " + twin.name(s) + " in a frame of " + n + " with " + args);
    List<Object> values = args.in(twin.frame());
    twin.t.resume(s, n, args.first(), args.count());
    twin.shadow.switchTo(twin.element(s));
    Frame frame = new Frame(n, null);
    values.addAll(0, first);
    for (int i = 0; i < passed; i++) {
      frame.slots.set(i, values.get(i));
    }
    first.clear();
    thread.frames.add(frame);
  }

  /** In the frame in which the thread stands. */
  private void resumeWithValues(Dice dice) {
    int s = suspended(dice);
    Range range = Range.of(twin.frame(), dice);
    if (!canResume(s) || twin.element(s).asThread().depth() == 0) {
      return;
    }
    ShadowElement thread = twin.element(s);
    Landing landing = Landing.in(thread.asThread().top(), dice);
    twin.cannotSay("resume " + twin.name(s) + " with " + range + " at " + landing.d());
    List<Object> values = range.in(twin.frame());
    transfer(
        landing,
        values,
        () -> twin.shadow.switchTo(thread),
        () -> twin.t.resumeInto(s, range.first(), range.count(), landing.d(), landing.wanted()));
  }

  private void suspendWithValues(Dice dice) {
    ShadowElement e = twin.shadow.current;
    ShadowElement resumer = e.asThread().resumer;
    if (resumer == null || !canSuspend(e) || e.asThread().depth() == 0) {
      return;
    }
    Range range = Range.of(twin.frame(), dice);
    Landing landing = Landing.in(resumer.asThread().top(), dice);
    boolean finishes = dice.chance(30);
    if (landing.grows() && (finishes || twin.prompt)) {
      return; // it would allocate, and drop as well
    }
    twin.cannotSay((finishes ? "finish with " : "suspend with ") + range + " at " + landing.d());
    List<Object> values = range.in(twin.frame());
    transfer(
        landing,
        values,
        () -> {
          twin.shadow.switchBack();
          if (finishes) {
            e.asThread().frames.clear();
            e.asThread().frames.add(new Frame(0, null));
          }
        },
        () ->
            finishes
                ? twin.t.finish(range.first(), range.count(), landing.d(), landing.wanted())
                : twin.t.suspend(range.first(), range.count(), landing.d(), landing.wanted()));
  }

  /** Where the frame grows memory may be refused, and nothing that it held is dropped. */
  private static void transfer(
      Landing landing, List<Object> values, Runnable onModel, IntSupplier onHeap) {
    if (landing.grows()) {
      int landed = onHeap.getAsInt();
      onModel.run();
      RangeOperations.expectLanded(landed, landing.land(values));
    } else {
      onModel.run();
      int expected = landing.land(values);
      RangeOperations.expectLanded(onHeap.getAsInt(), expected);
    }
  }

  private void attach(Dice dice, int s) {
    ShadowThread thread = twin.element(s).asThread();
    twin.cannotSay("attach an object to " + twin.name(s));
    if (!Objects.equals(twin.t.threadObject(s), thread.object)) { // each is equal to itself alone
      throw new AssertionError("another object: " + twin.t.threadObject(s));
    }
    thread.object = dice.chance(30) ? null : new Object();
    twin.t.setThreadObject(s, thread.object);
  }

  /** Resumes a thread that calls a function, and leaves the call on the thread's stack. */
  private void yieldFromCall(Dice dice) {
    int s = suspended(dice);
    int f = twin.find(dice, Kind.FUNCTION);
    int n = FrameOperations.frameSize(dice);
    if (f < 0 || !canResume(s)) {
      return;
    }
    twin.cannotSay(twin.name(s) + " yields from a call of " + twin.name(f));
    ShadowElement function = twin.element(f);
    try (GlobalRef passed = twin.heap.newGlobal()) {
      twin.t.setGlobal(passed, f);
      resume(s, n);
      twin.set(0, function);
      twin.t.getGlobal(0, passed);
    }
    frames.call(0, n);
    frames.enter(n);
    suspend();
  }

  private void suspend(Dice dice) {
    ShadowElement e = twin.shadow.current;
    boolean can = e != twin.shadow.main && canSuspend(e);
    if (can && (!twin.sayable || twin.frame().is(Scope.RESUME))) {
      suspend();
    }
  }

  /** No thread is suspended by a finalizer that the heap runs on it. */
  private boolean canSuspend(ShadowElement thread) {
    return thread != twin.shadow.finalizerThread && !thread.asThread().hasFloor();
  }

  void suspend() {
    twin.shadow.finalizers.beginOperation();
    Frame frame = twin.shadow.thread().frames.removeLast();
    if (!frame.is(Scope.RESUME)) {
      twin.cannotSay("suspend, with frames left on the thread");
    }
    if (frame.block != null) {
      twin.script.close(frame.block);
    }
    twin.shadow.switchBack();
    twin.t.suspend();
  }

  private void push(Dice dice) {
    int thread = suspended(dice);
    if (thread < 0) {
      return;
    }
    for (int n = dice.chance(90) ? 1 : dice.below(60); n > 0; n--) {
      int s = twin.slot(dice);
      twin.attempt("push " + twin.name(thread) + " " + twin.value(s), () -> twin.t.push(thread, s));
      twin.element(thread).asThread().top().slots.add(twin.get(s));
    }
  }

  private void pop(Dice dice) {
    int thread = suspended(dice);
    if (thread < 0) {
      return;
    }
    Frame frame = twin.element(thread).asThread().top();
    if (frame.slots.size() > frame.entered) {
      int d = twin.slot(dice);
      if (twin.sayable) { // there the popped value is dropped
        twin.undefine(d);
        if (d == thread) {
          return;
        }
        twin.say("pop " + twin.name(thread));
        Object _ = frame.slots.removeLast();
        twin.t.pop(thread, d);
        twin.shadow.finalizers.beginOperation();
        twin.t.setUndefined(d);
      } else {
        twin.cannotSay(twin.name(d) + " = pop " + twin.name(thread));
        twin.set(d, frame.slots.removeLast());
        twin.t.pop(thread, d);
      }
    }
  }
}
