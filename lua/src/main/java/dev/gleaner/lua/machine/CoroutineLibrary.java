package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/** The functions on coroutines (§ 6.2). */
final class CoroutineLibrary {
  private CoroutineLibrary() {}

  static void open(Machine machine, int pcall, int xpcall) {
    Registration r = new Registration(machine, "coroutine", 8);
    r.add("create", CoroutineLibrary::create)
        .add("wrap", CoroutineLibrary::wrap)
        .add("status", CoroutineLibrary::status)
        .add("running", CoroutineLibrary::running)
        .add("isyieldable", CoroutineLibrary::isyieldable);
    int resume = r.addOwn("resume");
    int yield = r.addOwn("yield");
    int _ = r.addOwn("close");
    int wrap = machine.state().codes.addOwn("wrap");
    machine.calls().protection().register(pcall, xpcall, resume, wrap, yield);
  }

  private static void checkFunction(Arguments a) {
    if (a.count() == 0 || !a.machine().isFunction(1)) {
      throw a.typeError(1, "function");
    }
  }

  private static int create(Arguments a) {
    checkFunction(a);
    int x = a.scratch(2);
    a.machine().calls().protection().newCoroutine(x, 1, x + 1);
    return a.one(x);
  }

  private static int wrap(Arguments a) {
    checkFunction(a);
    int x = a.scratch(2);
    Protection p = a.machine().calls().protection();
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

  private static int status(Arguments a) {
    checkThread(a);
    a.machine().setString(1, a.machine().calls().protection().status(1));
    return a.one(1);
  }

  private static int running(Arguments a) {
    int x = a.scratch(2);
    Mutator t = a.mutator();
    t.currentThread(x);
    t.set(x + 1, Values.ofBoolean(a.machine().calls().protection().isMain()));
    return a.results(x, 2);
  }

  private static int isyieldable(Arguments a) {
    Protection p = a.machine().calls().protection();
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
