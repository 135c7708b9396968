package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.lua.compiler.Prototype.Capture;
import org.jspecify.annotations.Nullable;

/**
 * The functions on upvalues and user values (§ 6.10). An upvalue that code assigns is a box that
 * closures share. Any other upvalue is a value, and each closure has a copy.
 */
final class UpvalueLibrary {
  private static final String ROOT = "identities of upvalues";

  private final Machine machine;
  private final State s;
  private final Mutator t;

  /** A table with weak keys: from a box, or a closure and an index, to a userdata. */
  private @Nullable GlobalRef identities;

  UpvalueLibrary(Machine machine) {
    this.machine = machine;
    this.s = machine.state();
    this.t = s.t;
    this.identities = s.roots.restored(ROOT);
  }

  /** Returns the upvalue of a Lua function; null if there is none. */
  private @Nullable Capture capture(Arguments a, int function, int index) {
    long n = a.checkInteger(index);
    if (!machine.isFunction(function)) {
      throw a.typeError(function, "function");
    }
    Code code = s.codes.of(t, function);
    Capture[] all = code == null ? new Capture[0] : code.prototype.captures;
    return n >= 1 && n <= all.length ? all[(int) n - 1] : null;
  }

  private static String name(Capture c) {
    return c.name().isEmpty() ? "(no name)" : c.name();
  }

  /** Returns whether a library function has such an upvalue: a value that the function holds. */
  private boolean isHeld(int function, int index) {
    int number = t.functionCode(function);
    long n = machine.integer(index);
    return number >= 0 && n >= 1 && n <= s.codes.held(number);
  }

  int getupvalue(Arguments a) {
    Capture c = capture(a, 1, 2);
    if (c == null) {
      return isHeld(1, 2) ? held(a) : a.none();
    }
    int x = a.scratch(2);
    machine.setString(x, name(c));
    t.loadConstant(x + 1, 1, (int) machine.integer(2));
    if (c.boxed()) {
      t.load(x + 1, x + 1, 0);
    }
    return a.results(x, 2);
  }

  /** Returns an empty name, and the value if that is a string: others may belong to the machine. */
  private int held(Arguments a) {
    int x = a.scratch(2);
    machine.setString(x, "");
    t.loadConstant(x + 1, 1, (int) machine.integer(2) - 1);
    if (!machine.isString(x + 1)) {
      t.set(x + 1, Values.UNDEFINED);
    }
    return a.results(x, 2);
  }

  int setupvalue(Arguments a) {
    a.checkAny(3);
    Capture c = capture(a, 1, 2);
    if (c == null) {
      return a.none();
    }
    int x = a.scratch(1);
    int index = (int) machine.integer(2);
    if (c.boxed()) {
      t.loadConstant(x, 1, index);
      t.store(x, 0, 3);
    } else {
      t.storeConstant(1, index, 3);
    }
    machine.setString(x, name(c));
    return a.one(x);
  }

  int upvalueid(Arguments a) {
    Capture c = capture(a, 1, 2);
    int x = a.scratch(4);
    if (c == null && !isHeld(1, 2)) {
      return a.one(x);
    }
    if (identities == null) {
      t.newWeakObject(x, Weakness.KEYS);
      GlobalRef made = machine.newGlobal(ROOT);
      t.setGlobal(made, x);
      identities = made;
    }
    t.getGlobal(x, identities);
    if (c != null && c.boxed()) {
      t.loadConstant(x + 1, 1, (int) machine.integer(2));
    } else {
      machine.parts().tables.get(x + 1, x, 1);
      if (t.get(x + 1) == Values.UNDEFINED) {
        machine.newTable(x + 1);
        machine.parts().tables.set(x, 1, x + 1);
      }
      t.copy(x, x + 1);
      t.copy(x + 1, 2);
    }
    machine.parts().tables.get(x + 2, x, x + 1);
    if (t.get(x + 2) == Values.UNDEFINED) {
      t.newRecord(x + 2, Types.LIGHT_SLOTS);
      machine.parts().tables.set(x, x + 1, x + 2);
    }
    return a.one(x + 2);
  }

  int upvaluejoin(Arguments a) {
    Capture to = capture(a, 1, 2);
    if (to == null) {
      throw a.argumentError(2, "invalid upvalue index");
    }
    Capture from = capture(a, 3, 4);
    if (from == null) {
      throw a.argumentError(4, "invalid upvalue index");
    }
    int x = a.scratch(2);
    t.loadConstant(x, 3, (int) machine.integer(4));
    if (from.boxed() && !to.boxed()) {
      t.load(x, x, 0);
    } else if (to.boxed() && !from.boxed()) {
      t.newRecord(x + 1, 1);
      t.store(x + 1, 0, x);
      t.copy(x, x + 1);
    }
    t.storeConstant(1, (int) machine.integer(2), x);
    return a.none();
  }

  // ---- user values ----

  /** Returns the slot of a user value in its record; 0 if there is none. */
  private int userValue(Arguments a, int value, int index) {
    long n = a.optInteger(index, 1);
    boolean is = a.count() > 0 && Types.of(t, value) == Types.USERDATA;
    return is && n >= 1 && n + 1 < t.slotCount(value) ? (int) n + 1 : 0;
  }

  int getuservalue(Arguments a) {
    int i = userValue(a, 1, 2);
    int x = a.scratch(2);
    if (i == 0) {
      return a.one(x);
    }
    t.load(x, 1, i);
    t.set(x + 1, Values.TRUE);
    return a.results(x, 2);
  }

  int setuservalue(Arguments a) {
    if (a.count() == 0 || Types.of(t, 1) != Types.USERDATA || Types.isLight(t, 1)) {
      throw a.typeError(1, "userdata");
    }
    a.checkAny(2);
    int i = userValue(a, 1, 3);
    if (i == 0) {
      int x = a.scratch(1);
      return a.one(x);
    }
    t.store(1, i, 2);
    return a.one(1);
  }
}
