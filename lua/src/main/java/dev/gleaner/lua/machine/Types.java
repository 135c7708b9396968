package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/** The types of Lua, as numbers. */
final class Types {
  static final int NIL = 0;
  static final int BOOLEAN = 1;
  static final int NUMBER = 2;
  static final int STRING = 3;
  static final int TABLE = 4;
  static final int FUNCTION = 5;
  static final int USERDATA = 6;
  static final int THREAD = 7;
  static final int COUNT = 8;

  /** The slots of a light userdata, which holds nothing but its metatable. */
  static final int LIGHT_SLOTS = 1;

  private static final String[] NAMES = {
    "nil", "boolean", "number", "string", "table", "function", "userdata", "thread"
  };

  private Types() {}

  static int of(Mutator t, int s) {
    long v = t.get(s);
    if (Values.isReference(v)) {
      if (t.isInteger(s)) {
        return NUMBER;
      }
      return switch (t.kind(s)) {
        case STRING -> STRING;
        case OBJECT -> TABLE;
        case FUNCTION -> FUNCTION;
        case THREAD -> THREAD;
        case RECORD, NATIVE -> USERDATA;
        default -> NUMBER;
      };
    }
    if (v == Values.UNDEFINED) {
      return NIL;
    }
    return Values.isBoolean(v) ? BOOLEAN : NUMBER;
  }

  static boolean isTable(Mutator t, int s) {
    return t.isObject(s);
  }

  static boolean isString(Mutator t, int s) {
    return t.isString(s);
  }

  static boolean isNumber(Mutator t, int s) {
    long v = t.get(s);
    return Values.isInt(v) || Values.isDouble(v) || (Values.isReference(v) && t.isInteger(s));
  }

  /** Returns whether a userdata is light: it stands for something, and has no Java object. */
  static boolean isLight(Mutator t, int userdata) {
    return t.slotCount(userdata) == LIGHT_SLOTS;
  }

  static String name(int type) {
    return NAMES[type];
  }
}
