package dev.gleaner.kit.oracle;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.kit.oracle.Script.Scope;
import dev.gleaner.kit.oracle.ShadowThread.Frame;
import dev.gleaner.layout.Kind;
import java.util.List;

/** Threads: resumed, suspended, pushed to and popped from. */
final class ThreadOperations {
  private static final int DEEPEST = 4;

  private final Twin twin;
  private final FrameOperations frames;

  ThreadOperations(Twin twin, FrameOperations frames) {
    this.twin = twin;
    this.frames = frames;
  }

  List<Operation> all() {
    return List.of(
        new Operation("new thread", 4, this::newThread).alone(),
        new Operation("resume", 5, this::resume),
        new Operation("suspend", 4, this::suspend),
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
    twin.t.enter(n);
    twin.shadow.thread().frames.add(new Frame(n, twin.script.open(Scope.RESUME, header)));
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
    boolean can = e != twin.shadow.main && e != twin.shadow.finalizerThread;
    if (can && (!twin.sayable || twin.frame().is(Scope.RESUME))) {
      suspend();
    }
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
