package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.lua.compiler.Op;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Metatables and their events. */
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

  /** The steps for a link of a chain of __index: two look-ups. */
  private static final int LINK = 4;

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
    if (metatable == null || !s.operators.isString(o)) {
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

  /**
   * Does {@code d = o[k]}, and follows __index. Returns true if the value is in the slot. After
   * false the caller must call the function in slot x, with the two arguments behind.
   */
  boolean index(int d, int o, int k, int x) {
    t.copy(x + 1, o);
    t.copy(x + 2, k);
    for (int i = 0; i < CHAIN; i++) {
      s.limits.work(i == 0 ? 0 : LINK);
      if (s.tables.isTable(x + 1)) {
        s.tables.get(x, x + 1, x + 2);
        if (t.get(x) != Values.UNDEFINED) {
          t.copy(d, x);
          return true;
        }
        if (!method(x, x + 1, INDEX)) {
          t.set(d, Values.UNDEFINED);
          return true;
        }
      } else if (!method(x, x + 1, INDEX)) {
        throw s.messages.index(i == 0 ? o : -1, x + 1);
      }
      if (t.functionCode(x) >= 0) {
        return false;
      }
      t.copy(x + 1, x);
    }
    throw s.messages.error("'__index' chain too long; possible loop");
  }

  /** Does {@code o[k] = v}, as {@link #index} does; the function has three arguments. */
  boolean newIndex(int o, int k, int v, int x) {
    t.copy(x + 1, o);
    t.copy(x + 2, k);
    t.copy(x + 3, v);
    for (int i = 0; i < CHAIN; i++) {
      s.limits.work(i == 0 ? 0 : LINK);
      if (s.tables.isTable(x + 1)) {
        s.tables.get(x, x + 1, x + 2);
        if (t.get(x) != Values.UNDEFINED || !method(x, x + 1, NEW_INDEX)) {
          s.messages.checkKey(x + 2);
          s.tables.set(x + 1, x + 2, x + 3);
          return true;
        }
      } else if (!method(x, x + 1, NEW_INDEX)) {
        throw s.messages.index(i == 0 ? o : -1, x + 1);
      }
      if (t.functionCode(x) >= 0) {
        return false;
      }
      t.copy(x + 1, x);
    }
    throw s.messages.error("'__newindex' chain too long; possible loop");
  }

  /** Sets or removes a metatable, and applies its fields __gc and __mode. */
  void set(int o, int m) {
    int type = Types.of(t, o);
    if (type != Types.TABLE && type != Types.USERDATA) {
      share(type, t.get(m) == Values.UNDEFINED ? null : m);
      return;
    }
    t.store(o, 0, m);
    if (t.get(m) == Values.UNDEFINED) {
      return;
    }
    int x = s.scratch(1);
    if (type == Types.TABLE) {
      setMode(o, m, x);
    }
    if (has(x, m, GC)) {
      int code = t.functionCode(x);
      s.finalizers.set(o, type == Types.TABLE || (code >= 0 && s.codes.compiled[code] != null));
    }
    t.resizeFrame(x);
  }

  private void setMode(int o, int m, int x) {
    int weakness = Weakness.NONE;
    if (has(x, m, MODE) && s.operators.isString(x)) {
      String mode = s.arguments.machine().string(x);
      weakness |= mode.indexOf('k') >= 0 ? Weakness.KEYS : 0;
      weakness |= mode.indexOf('v') >= 0 ? Weakness.VALUES : 0;
    }
    t.setWeakness(o, weakness);
  }

  /** Converts a value to a string, as tostring does. */
  void toText(int d, int v, Machine machine) {
    int x = s.scratch(2);
    if (method(x, v, TOSTRING)) {
      t.copy(x + 1, v);
      int _ = machine.call(x, 1, 1);
      if (!s.operators.isString(x)) {
        if (!s.operators.isNumber(x)) {
          throw s.arguments.error("'__tostring' must return a string");
        }
        boolean _ = s.operators.toText(x);
      }
    } else {
      t.copy(x, v);
      switch (Types.of(t, v)) {
        case Types.NIL -> MachineTexts.set(t, x, "nil");
        case Types.BOOLEAN -> MachineTexts.set(t, x, t.get(v) == Values.TRUE ? "true" : "false");
        case Types.NUMBER, Types.STRING -> {
          boolean _ = s.operators.toText(x);
        }
        default -> machine.setString(x, s.messages.typeName(v) + ": " + machine.address(v));
      }
    }
    t.copy(d, x);
    t.resizeFrame(x);
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
