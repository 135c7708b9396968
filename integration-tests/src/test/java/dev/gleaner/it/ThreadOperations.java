package dev.gleaner.it;

import dev.gleaner.heap.Kind;
import dev.gleaner.it.ShadowThread.Frame;
import java.util.List;

/** Threads: resumed, suspended, pushed to and popped from. */
final class ThreadOperations {
  private static final int DEEPEST = 4;

  private final Twin twin;

  ThreadOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("new thread", 4, this::newThread),
        new Operation("resume", 5, this::resume),
        new Operation("suspend", 4, this::suspend),
        new Operation("push", 7, this::push),
        new Operation("pop", 5, this::pop));
  }

  private void newThread(Dice dice) {
    int d = twin.slot(dice);
    twin.log.add("newThread " + d);
    twin.make(d, () -> twin.t.newThread(d), twin.shadow::newThread);
  }

  private int suspended(Dice dice) {
    return twin.find(
        dice, v -> v instanceof ShadowElement e && e.kind == Kind.THREAD && !e.asThread().running);
  }

  private void resume(Dice dice) {
    int s = suspended(dice);
    int n = FrameOperations.frameSize(dice);
    int resumers = 0;
    for (ShadowElement e = twin.shadow.current; e != null; e = e.asThread().resumer) {
      resumers++;
    }
    if (s < 0 || resumers > DEEPEST || twin.element(s).asThread().depth() > DEEPEST) {
      return;
    }
    twin.log.add("resume " + s + ", " + n);
    twin.t.resume(s, n);
    twin.shadow.switchTo(twin.element(s));
    twin.shadow.thread().frames.add(new Frame(n));
  }

  private void suspend(Dice dice) {
    ShadowElement e = twin.shadow.current;
    if (e == twin.shadow.main || e == twin.shadow.finalizerThread) {
      return;
    }
    twin.log.add("suspend");
    e.asThread().frames.removeLast();
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
      twin.log.add("push " + thread + ", " + s);
      twin.t.push(thread, s);
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
      twin.log.add("pop " + thread + " -> " + d);
      twin.set(d, frame.slots.removeLast());
      twin.t.pop(thread, d);
    }
  }
}
