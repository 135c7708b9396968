package dev.gleaner.it;

import dev.gleaner.heap.Kind;
import java.util.List;

/** Finalizers, weak references, global references. */
final class RootOperations {
  private static final int MOST_GLOBALS = 12;
  private static final int MOST_WEAKS = 60;

  private final Twin twin;
  private final FinalizerBody body;
  private int labels;

  /** What a finalizer does; given its element, and whether the heap is closing. */
  @FunctionalInterface
  interface FinalizerBody {
    void run(ShadowElement element, String label, boolean closing);
  }

  RootOperations(Twin twin, FinalizerBody body) {
    this.twin = twin;
    this.body = body;
  }

  List<Operation> all() {
    return List.of(
        new Operation("set finalizer", 10, this::setFinalizer),
        new Operation("clear finalizer", 2, this::clearFinalizer),
        new Operation("new weak reference", 6, this::newWeak),
        new Operation("read a weak reference", 5, this::getWeak),
        new Operation("close a weak reference", 2, this::closeWeak),
        new Operation("new global", 3, this::newGlobal),
        new Operation("set global", 6, this::setGlobal),
        new Operation("get global", 5, this::getGlobal),
        new Operation("close global", 3, this::closeGlobal));
  }

  private int finalizable(Dice dice) {
    return twin.find(
        dice, v -> v instanceof ShadowElement e && e.kind != Kind.STRING && e.kind != Kind.NATIVE);
  }

  private void setFinalizer(Dice dice) {
    int s = finalizable(dice);
    if (s >= 0) {
      setFinalizer(s);
    }
  }

  void setFinalizer(int s) {
    ShadowElement e = twin.element(s);
    String label = "F" + labels++;
    twin.log.add("setFinalizer " + s + " " + label + " on " + e);
    twin.t.setFinalizer(s, label, (thread, closing) -> body.run(e, label, closing));
    if (twin.shadow.finalizerThread == null) {
      twin.shadow.finalizerThread = twin.shadow.newThread();
    }
    twin.shadow.finalizers.set(e, label);
  }

  private void clearFinalizer(Dice dice) {
    int s = finalizable(dice);
    if (s < 0) {
      return;
    }
    twin.log.add("clearFinalizer " + s);
    boolean had = twin.shadow.finalizers.find(twin.element(s)) != null;
    if (twin.t.hasFinalizer(s) != had || twin.t.clearFinalizer(s) != had) {
      throw new AssertionError("has a finalizer: " + had + ": " + twin.element(s));
    }
    twin.shadow.finalizers.remove(twin.element(s));
  }

  private void newWeak(Dice dice) {
    int s = twin.find(dice, v -> v instanceof ShadowElement e && e.kind != Kind.STRING);
    if (s >= 0 && twin.shadow.weaks.size() < MOST_WEAKS) {
      twin.log.add("newWeak " + s);
      twin.shadow.weaks.add(new ShadowHeap.Weak(twin.t.newWeak(s), twin.element(s)));
    }
  }

  private void getWeak(Dice dice) {
    if (twin.shadow.weaks.isEmpty()) {
      return;
    }
    ShadowHeap.Weak weak = dice.pick(twin.shadow.weaks);
    int d = twin.slot(dice);
    twin.log.add("getWeak " + d + " = " + weak.target + (weak.cleared ? ", cleared" : ""));
    if (!twin.exact) {
      twin.collector.observe();
    }
    if (weak.target.dead && !weak.cleared) {
      throw new AssertionError("held, but gone: " + weak.target);
    }
    twin.set(d, weak.cleared ? Special.NULL : weak.target);
    if (twin.t.getWeak(d, weak.ref) == weak.cleared) {
      throw new AssertionError("weak reference to " + weak.target + " cleared: " + weak.cleared);
    }
  }

  private void closeWeak(Dice dice) {
    if (!twin.shadow.weaks.isEmpty()) {
      twin.log.add("close a weak reference");
      ShadowHeap.Weak weak = dice.pick(twin.shadow.weaks);
      twin.shadow.weaks.remove(weak);
      weak.ref.close();
    }
  }

  private void newGlobal(Dice dice) {
    if (twin.shadow.globals.size() < MOST_GLOBALS) {
      twin.log.add("newGlobal");
      twin.shadow.globals.add(new ShadowHeap.Global(twin.heap.newGlobal()));
    }
  }

  private void setGlobal(Dice dice) {
    if (!twin.shadow.globals.isEmpty()) {
      setGlobal(dice, twin.slot(dice));
    }
  }

  void setGlobal(Dice dice, int s) {
    int at = dice.below(twin.shadow.globals.size());
    ShadowHeap.Global global = twin.shadow.globals.get(at);
    twin.log.add("setGlobal " + at + " = " + s);
    global.value = twin.get(s);
    twin.t.setGlobal(global.ref, s);
  }

  private void getGlobal(Dice dice) {
    if (!twin.shadow.globals.isEmpty()) {
      int at = dice.below(twin.shadow.globals.size());
      int d = twin.slot(dice);
      twin.log.add("getGlobal " + d + " = " + at);
      twin.set(d, twin.shadow.globals.get(at).value);
      twin.t.getGlobal(d, twin.shadow.globals.get(at).ref);
    }
  }

  private void closeGlobal(Dice dice) {
    if (!twin.shadow.globals.isEmpty()) {
      int at = dice.below(twin.shadow.globals.size());
      twin.log.add("closeGlobal " + at);
      twin.shadow.globals.remove(at).ref.close();
    }
  }
}
