package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/** The functions on coroutines (§ 6.2). */
final class CoroutineLibrary {
  private final Machine machine;

  private CoroutineLibrary(Machine machine) {
    this.machine = machine;
  }

  static void open(Machine machine, int pcall, int xpcall) {
    CoroutineLibrary coroutines = new CoroutineLibrary(machine);
    Registration r = new Registration(machine, "coroutine", 8);
    r.add("create", coroutines::create)
        .add("wrap", coroutines::wrap)
        .add("status", coroutines::status)
        .add("running", coroutines::running)
        .add("isyieldable", coroutines::isyieldable);
    int resume = r.addOwn("resume");
    int yield = r.addOwn("yield");
    int _ = r.addOwn("close");
    int wrap = machine.state().codes.add("wrap", 0);
    machine.calls().protection().register(pcall, xpcall, resume, wrap, yield);
  }

  private void checkFunction(Arguments a) {
    if (a.count() == 0 || !machine.isFunction(1)) {
      throw a.typeError(1, "function");
    }
  }

  private int create(Arguments a) {
    checkFunction(a);
    int x = a.scratch(2);
    machine.calls().protection().newCoroutine(x, 1, x + 1);
    return a.one(x);
  }

  private int wrap(Arguments a) {
    checkFunction(a);
    int x = a.scratch(2);
    Protection p = machine.calls().protection();
    Mutator t = a.mutator();
    p.newCoroutine(x, 1, x + 1);
    t.newFunction(x + 1, 1, 0);
    t.setFunctionCode(x + 1, p.wrapCode());
    t.storeConstant(x + 1, 0, x);
    return a.one(x + 1);
  }

  private static void checkThread(Arguments a) {
    if (a.count() == 0 || Types.of(a.mutator(), 1) != Types.THREAD) {
      throw a.typeError(1, "thread");
    }
  }

  private int status(Arguments a) {
    checkThread(a);
    machine.setString(1, machine.calls().protection().status(1));
    return a.one(1);
  }

  private int running(Arguments a) {
    int x = a.scratch(2);
    Mutator t = a.mutator();
    t.currentThread(x);
    t.set(x + 1, Values.ofBoolean(machine.calls().protection().isMain()));
    return a.results(x, 2);
  }

  private int isyieldable(Arguments a) {
    Protection p = machine.calls().protection();
    boolean given = a.count() > 0;
    if (given) {
      checkThread(a);
    }
    boolean is = given ? p.isYieldable(1) : p.isYieldable();
    int x = a.scratch(1);
    a.mutator().set(x, Values.ofBoolean(is));
    return a.one(x);
  }
}
