package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Metatables and their events. {@link Access} follows the events of fields. */
final class Metatables {
  static final int INDEX = 0;
  static final int NEW_INDEX = 1;
  static final int CALL = 2;
  static final int LENGTH = 3;
  static final int EQ = 4;
  static final int LT = 5;
  static final int LE = 6;
  static final int CONCAT = 7;
  static final int UNM = 8;
  static final int BNOT = 9;
  static final int CLOSE = 10;
  static final int GC = 11;
  static final int MODE = 12;
  static final int NAME = 13;
  static final int TOSTRING = 14;
  static final int METATABLE = 15;
  static final int PAIRS = 16;

  /** The first event of the binary operators. Their order is that of the instructions. */
  static final int ADD = 17;

  private static final String[] EVENTS = {
    "__index",
    "__newindex",
    "__call",
    "__len",
    "__eq",
    "__lt",
    "__le",
    "__concat",
    "__unm",
    "__bnot",
    "__close",
    "__gc",
    "__mode",
    "__name",
    "__tostring",
    "__metatable",
    "__pairs",
    "__add",
    "__sub",
    "__mul",
    "__mod",
    "__pow",
    "__div",
    "__idiv",
    "__band",
    "__bor",
    "__bxor",
    "__shl",
    "__shr"
  };

  static final int CHAIN = 2000;

  private final State s;
  private final Mutator t;
  private final GlobalRef[] events = new GlobalRef[EVENTS.length];

  /** The metatables of types that share one: nil, boolean, number, string, function, thread. */
  private final GlobalRef[] shared = new GlobalRef[Types.COUNT];

  /** The code numbers of the library's functions in the metatable of strings. */
  private final int[] ofStrings = new int[EVENTS.length];

  Metatables(State state) {
    this.s = state;
    this.t = state.t;
    for (int i = 0; i < EVENTS.length; i++) {
      events[i] = s.roots.make(EVENTS[i]);
      ofStrings[i] = State.NO_CODE;
    }
    for (int type = 0; type < shared.length; type++) {
      shared[type] = orNone(s.roots.restored(root(type)));
    }
  }

  private static String root(int type) {
    return "metatable of " + Types.name(type);
  }

  /** Makes the names of the events, with the help of a slot. */
  void start(int x) {
    for (int i = 0; i < events.length; i++) {
      MachineTexts.set(t, x, EVENTS[i]);
      t.setGlobal(events[i], x);
    }
  }

  /** Returns whether a look-up found a value other than nil. */
  static boolean isThere(long v) {
    return v != Values.UNDEFINED && v != Values.ABSENT;
  }

  static String name(int event) {
    return EVENTS[event];
  }

  /** Returns the event of an operator. */
  static int event(int op) {
    return switch (op) {
      case Op.NEGATE -> UNM;
      case Op.BNOT -> BNOT;
      default -> ADD + op - Op.ADD;
    };
  }

  /** Loads a metatable. Returns false, and leaves the slot, if there is none. */
  boolean load(int d, int o) {
    int type = Types.of(t, o);
    if (type == Types.TABLE || type == Types.USERDATA) {
      if (t.get(o, 0) == Values.UNDEFINED) {
        return false;
      }
      t.load(d, o, 0);
      return true;
    }
    GlobalRef ref = type < 0 ? null : shared[type];
    if (ref == null) {
      return false;
    }
    t.getGlobal(d, ref);
    return true;
  }

  /** Sets or removes the metatable of a type. */
  void share(int type, @Nullable Integer slot) {
    GlobalRef ref = shared[type];
    if (slot == null) {
      if (ref != null) {
        s.roots.close(ref);
        shared[type] = orNone(null);
      }
      return;
    }
    if (ref == null) {
      ref = s.roots.make(root(type));
      shared[type] = ref;
    }
    t.setGlobal(ref, slot);
  }

  /**
   * Loads the field of a string, in two steps. Returns false if the value is no string, if there is
   * no field, or if the access needs a call; the slot may be nil then.
   */
  boolean ofString(int d, int o, GlobalRef name) {
    @Nullable GlobalRef metatable = shared[Types.STRING];
    if (metatable == null || !Types.isString(t, o)) {
      return false;
    }
    t.getGlobal(d, metatable);
    if (isThere(t.lookUp(d, d, events[INDEX])) && isThere(t.lookUp(d, d, name, 0, events[INDEX]))) {
      return true;
    }
    t.set(d, Values.UNDEFINED);
    return false;
  }

  /** Notes the library's function for an operator on strings. */
  void noteStringOperator(String event, int code) {
    ofStrings[List.of(EVENTS).indexOf(event)] = code;
  }

  /** Returns whether strings still have the library's function for an arithmetic operator. */
  boolean computesStrings(int event) {
    GlobalRef ref = shared[Types.STRING];
    if (ref == null) {
      return false;
    }
    int x = s.scratch(1);
    t.getGlobal(x, ref);
    boolean is = isThere(t.lookUp(x, x, events[event])) && t.functionCode(x) == ofStrings[event];
    t.resizeFrame(x);
    return is;
  }

  @SuppressWarnings("NullAway")
  private static GlobalRef orNone(@Nullable GlobalRef ref) {
    return ref;
  }

  /** Returns the name of an event. */
  GlobalRef eventName(int event) {
    return events[event];
  }

  /** Loads a metamethod. Returns false if there is none; the slot is nil or unchanged then. */
  boolean method(int d, int o, int event) {
    if (!load(d, o)) {
      return false;
    }
    return isThere(t.lookUp(d, d, events[event]));
  }

  /** Loads the field of a metatable for an event of any name. */
  boolean method(int d, int o, String event) {
    for (int i = 0; i < EVENTS.length; i++) {
      if (EVENTS[i].equals(event)) {
        return method(d, o, i);
      }
    }
    if (!load(d, o)) {
      return false;
    }
    int x = s.scratch(1);
    MachineTexts.set(t, x, event);
    long v = t.lookUp(d, d, x);
    t.resizeFrame(x);
    return isThere(v);
  }

  /** Returns whether the metatable in a slot has an event. */
  boolean has(int d, int metatable, int event) {
    return isThere(t.lookUp(d, metatable, events[event]));
  }

  /** Returns whether a variable can be closed. */
  boolean isClosable(int v) {
    long value = t.get(v);
    if (value == Values.UNDEFINED || value == Values.FALSE) {
      return true;
    }
    int x = s.scratch(1);
    boolean is = method(x, v, CLOSE);
    t.resizeFrame(x);
    return is;
  }
}
