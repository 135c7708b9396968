package dev.gleaner.kit.oracle;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.Capability;
import java.util.List;
import java.util.function.Supplier;

/** Finalizers, weak references, global references. */
final class RootOperations {
  private static final int GLOBALS = 12;
  private static final int WEAKS = 40;

  private final Twin twin;
  private final FinalizerRunner runner;
  private int labels;

  /** Does what a finalizer does; given its element, and whether the heap is closing. */
  @FunctionalInterface
  interface FinalizerRunner {
    void run(ShadowElement element, FinalizerBody body, boolean closing);
  }

  /** The finalizer of one element. */
  record Own(ShadowElement element, FinalizerBody body, FinalizerRunner runner)
      implements Finalizer {
    @Override
    public void run(Mutator thread, boolean closing) {
      runner.run(element, body, closing);
    }
  }

  /** The finalizer of an object, and of those that have it as a prototype. */
  record Lent(FinalizerBody body, Supplier<ShadowFinalizers> known, FinalizerRunner runner)
      implements Finalizer {
    @Override
    public void run(Mutator thread, boolean closing) {
      ShadowElement whose = known.get().byHash(thread.identityHash(0));
      runner.run(whose, body.calledFor(whose), closing);
    }
  }

  RootOperations(Twin twin, FinalizerRunner runner) {
    this.twin = twin;
    this.runner = runner;
  }

  List<Operation> all() {
    return List.of(
        new Operation("set finalizer", 10, this::setFinalizer),
        new Operation(
                "set inherited finalizer", 3, twin.on(Kind.OBJECT, this::setInheritedFinalizer))
            .unsayable(),
        new Operation("clear finalizer", 2, this::clearFinalizer),
        new Operation("new weak reference", 6, this::newWeak),
        new Operation("read a weak reference", 5, this::getWeak),
        new Operation("close a weak reference", 2, this::closeWeak),
        new Operation("set global", 8, this::setGlobal),
        new Operation("get global", 5, this::getGlobal),
        new Operation("close global", 3, this::closeGlobal));
  }

  private int finalizable(Dice dice) {
    return twin.find(
        dice,
        v ->
            v instanceof ShadowElement e
                && e.kind != Kind.STRING
                && e.kind != Kind.NATIVE
                && e.kind != Kind.INTEGER);
  }

  private void setFinalizer(Dice dice) {
    int s = finalizable(dice);
    if (s >= 0) {
      setFinalizer(s, kind(dice), dice);
    }
  }

  /** A block that runs at times of the collector's own could not be written down. */
  private FinalizerBody.Kind kind(Dice dice) {
    int roll = dice.below(10);
    if ((twin.sayable && twin.restless) || roll < 2) {
      return FinalizerBody.Kind.EMPTY;
    }
    if (roll == 5 && !twin.sayable) {
      return FinalizerBody.Kind.BREED;
    }
    // What a script says goes on while the heap settles, where rescues could drop each other for
    // ever.
    boolean ends = twin.exact || !twin.sayable;
    return roll < 5 && ends ? FinalizerBody.Kind.RESCUE : FinalizerBody.Kind.RANDOM;
  }

  void setFinalizer(int s, FinalizerBody.Kind kind, Dice dice) {
    ShadowElement e = twin.element(s);
    String label = "F" + labels++;
    Script.Block block =
        twin.script.reserve(Script.Scope.FINALIZER, "finalizer " + twin.name(s) + " " + label);
    FinalizerBody body = new FinalizerBody(label, kind, dice.next(), dice.below(GLOBALS), block);
    if (kind == FinalizerBody.Kind.RESCUE) {
      twin.script.reopen(block);
      twin.say("set @g" + body.global + " self");
      twin.script.close(block);
    }
    twin.t.setFinalizer(s, label, new Own(e, body, runner));
    noteThread();
    twin.shadow.finalizers.set(e, body);
  }

  private void noteThread() {
    if (!twin.inPlace && twin.shadow.finalizerThread == null) {
      twin.shadow.finalizerThread = twin.shadow.newThread();
    }
  }

  /** Heirs that exist already are found in an order that nobody knows, so there are none here. */
  private void setInheritedFinalizer(Dice dice, int s) {
    ShadowElement e = twin.element(s);
    ShadowFinalizers f = twin.shadow.finalizers;
    boolean known = !twin.has(Capability.ORDERED_FINALIZERS) && f.lender(e) != null;
    if (e.wasPrototype && !known) {
      return;
    }
    twin.knowAgain(s);
    String label = "I" + labels++;
    FinalizerBody body =
        new FinalizerBody(label, kind(dice), dice.next(), dice.below(GLOBALS), null);
    twin.t.setInheritedFinalizer(s, label, new Lent(body, () -> f, runner));
    noteThread();
    f.lend(e, body);
  }

  /** Makes an element that nothing but a slot refers to, with a finalizer that does the same. */
  void breed(Dice dice) {
    ShadowElement _ =
        twin.make(
            1,
            "record " + twin.name(1) + " 1",
            () -> twin.t.newRecord(1, 1),
            () -> twin.shadow.newElement(Kind.RECORD, 1));
    setFinalizer(1, FinalizerBody.Kind.BREED, dice);
  }

  private void clearFinalizer(Dice dice) {
    int s = finalizable(dice);
    if (s >= 0) {
      clearFinalizer(s);
    }
  }

  void clearFinalizer(int s) {
    ShadowFinalizers.Entry entry = twin.shadow.finalizers.find(twin.element(s));
    boolean heir = entry != null && entry.heir;
    boolean had = entry != null && !heir;
    if (had) {
      twin.say("unfinalizer " + twin.name(s));
    }
    // Detached at some time after the element was lost, under ordered finalizers.
    boolean known = entry == null || !entry.lost || !twin.has(Capability.ORDERED_FINALIZERS);
    if (had && twin.shadow.finalizers.lender(twin.element(s).prototype) != null) {
      twin.knowAgain(s); // it inherits
    }
    boolean spent = entry != null && entry.lent && entry.wasCalled(); // under ordered finalizers
    boolean found = twin.t.hasFinalizer(s);
    boolean cleared = twin.t.clearFinalizer(s);
    boolean wrong = cleared != (found && !heir) || (known && !spent && found != (entry != null));
    if (wrong) {
      throw new AssertionError("has a finalizer: " + had + ": " + twin.element(s));
    }
    twin.shadow.finalizers.clear(twin.element(s));
  }

  private void newWeak(Dice dice) {
    int s =
        twin.find(
            dice,
            v -> v instanceof ShadowElement e && e.kind != Kind.STRING && e.kind != Kind.INTEGER);
    for (int n = dice.chance(80) ? 1 : 4; s >= 0 && n > 0; n--) {
      int w = dice.below(WEAKS);
      twin.say("weak ~w" + w + " " + twin.name(s));
      ShadowHeap.Weak old =
          twin.shadow.weaks.put(w, new ShadowHeap.Weak(twin.t.newWeak(s), twin.element(s)));
      if (old != null) {
        closeWeak(old);
      }
    }
  }

  private void getWeak(Dice dice) {
    if (twin.shadow.weaks.isEmpty()) {
      return;
    }
    int w = dice.pick(List.copyOf(twin.shadow.weaks.keySet()));
    ShadowHeap.Weak weak = twin.shadow.weak(w);
    int d = twin.slot(dice);
    if (twin.sayable && !twin.timed && !twin.shadow.reachable(false).contains(weak.target)) {
      return; // cleared or not
    }
    if (!twin.exact) {
      twin.collector.observe();
    }
    twin.say("set " + twin.name(d) + " ~w" + w);
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
      int w = dice.pick(List.copyOf(twin.shadow.weaks.keySet()));
      twin.say("drop ~w" + w);
      ShadowHeap.Weak weak = twin.shadow.weak(w);
      twin.shadow.weaks.remove(w);
      closeWeak(weak);
    }
  }

  private void closeWeak(ShadowHeap.Weak weak) {
    if (!twin.exact) {
      twin.shadow.note(weak);
    }
    weak.ref.close();
  }

  private void setGlobal(Dice dice) {
    setGlobal(dice.below(GLOBALS), twin.slot(dice));
  }

  /** Stores a slot into a global, which is made if need be. */
  void setGlobal(int g, int s) {
    twin.say("set @g" + g + " " + twin.value(s));
    ShadowHeap.Global global =
        twin.shadow.globals.computeIfAbsent(g, n -> new ShadowHeap.Global(twin.heap.newGlobal()));
    global.value = twin.get(s);
    twin.t.setGlobal(global.ref(), s);
  }

  /** Some global's number. */
  int anyGlobal(Dice dice) {
    return dice.below(GLOBALS);
  }

  private void getGlobal(Dice dice) {
    if (!twin.shadow.globals.isEmpty()) {
      int g = dice.pick(List.copyOf(twin.shadow.globals.keySet()));
      int d = twin.slot(dice);
      ShadowHeap.Global global = twin.shadow.global(g);
      twin.say("set " + twin.name(d) + " @g" + g);
      twin.set(d, global.value);
      twin.t.getGlobal(d, global.ref());
    }
  }

  private void closeGlobal(Dice dice) {
    if (!twin.shadow.globals.isEmpty()) {
      closeGlobal(dice.pick(List.copyOf(twin.shadow.globals.keySet())));
    }
  }

  private void closeGlobal(int g) {
    twin.say("drop @g" + g);
    ShadowHeap.Global global = twin.shadow.global(g);
    twin.shadow.globals.remove(g);
    global.ref().close();
  }

  /** Drops all globals. */
  void closeGlobals() {
    while (!twin.shadow.globals.isEmpty()) { // where drops act at once, a finalizer may make more
      closeGlobal(twin.shadow.globals.keySet().iterator().next());
    }
  }
}
