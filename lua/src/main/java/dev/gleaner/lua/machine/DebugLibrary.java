package dev.gleaner.lua.machine;

import dev.gleaner.layout.Values;

/** Of the debug library (§ 6.10): the traceback, and metatables of any value. */
final class DebugLibrary {
  /** Steps of a text of the stack. */
  private static final int TRACEBACK = 64;

  private static final int MOST_LEVELS = 1 << 30;

  private DebugLibrary() {}

  static void open(Machine machine, boolean all) {
    Registration debug = new Registration(machine, "debug");
    Registration _ = debug.add("traceback", DebugLibrary::traceback);
    if (all) {
      Registration _ =
          debug
              .add("getmetatable", DebugLibrary::getmetatable)
              .add("setmetatable", DebugLibrary::setmetatable);
    }
  }

  private static int traceback(Arguments a) {
    Machine m = a.machine();
    boolean thread = a.count() > 0 && Types.of(a.mutator(), 1) == Types.THREAD;
    int shift = thread ? 1 : 0;
    int message = 1 + shift;
    if (!a.isNoneOrNil(message) && !m.isString(message) && !m.isNumber(message)) {
      return a.one(message);
    }
    if (thread) {
      int x = a.scratch(1);
      a.mutator().currentThread(x);
      if (!a.mutator().same(x, 1)) {
        throw a.argumentError(1, "the stack of another coroutine cannot be read");
      }
    }
    long level = Math.clamp(a.optInteger(message + 1, 1), 0, MOST_LEVELS);
    a.work(TRACEBACK);
    String text = m.tracebacks().text((int) level);
    int x = a.scratch(1);
    if (!a.isNoneOrNil(message)) {
      a.checkString(message);
      text = m.string(message) + "\n" + text;
    }
    m.setString(x, text);
    return a.one(x);
  }

  private static int getmetatable(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(1);
    if (!a.machine().metatable(x, 1)) {
      a.mutator().set(x, Values.UNDEFINED);
    }
    return a.one(x);
  }

  private static int setmetatable(Arguments a) {
    a.checkAny(1);
    if (a.count() < 2 || (a.mutator().get(2) != Values.UNDEFINED && !a.machine().isTable(2))) {
      throw a.typeError(2, "nil or table");
    }
    a.machine().setMetatable(1, 2);
    return a.one(1);
  }
}
