package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.number.Numbers;
import org.jspecify.annotations.Nullable;

/** Error messages with positions and names of variables, as in Lua. */
final class Messages {
  private final State s;
  private final Strings strings;
  private final Metatables meta;
  private final Levels levels;
  private final Mutator t;

  Messages(State state, Strings strings, Metatables meta, Levels levels) {
    this.s = state;
    this.strings = strings;
    this.meta = meta;
    this.levels = levels;
    this.t = state.t;
  }

  // ---- positions ----

  /** Returns the line of an instruction, or -1 if the chunk has no lines. */
  static int line(Code code, int at) {
    int[] lines = code.prototype.lines;
    return lines.length == 0 ? -1 : lines[Math.clamp(at, 0, lines.length - 1)];
  }

  static String position(Code code, int at) {
    return code.prototype.chunk + ":" + line(code, at) + ":";
  }

  /** Returns an error at the running instruction. */
  LuaError error(String message) {
    Code code = running();
    return new LuaError(code == null ? message : position(code, s.pc - 1) + " " + message);
  }

  /** Returns the running Lua function, or null. */
  private @Nullable Code running() {
    Code code = s.codeOrNull();
    return code == null || s.codes.of(t, 0) != code || isUnwound(0) ? null : code;
  }

  /** Returns whether an error leaves a frame: the frame did not call the closing function. */
  private boolean isUnwound(int level) {
    return t.frameDepth() - level == s.unwound;
  }

  /** Returns the position of a running function, as "file:12: "; empty if there is no line. */
  String where(int level) {
    return whereAt(levels.find(0, level));
  }

  private String whereAt(int level) {
    if (level >= t.frameDepth()) {
      return "";
    }
    int x = s.scratch(1);
    t.peek(x, level, 0);
    Code code = s.codes.of(t, x);
    String where = "";
    if (code != null) {
      t.peek(x, level, code.pcSlot);
      int at = Return.pc(t.get(x)) - 1;
      where = line(code, at) > 0 ? position(code, at) + " " : "";
    }
    t.resizeFrame(x);
    return where;
  }

  /** Returns a function's name in its caller, as "global 'f'"; empty if there is none. */
  String called(int level) {
    if (level + 1 >= t.frameDepth() || levels.isClosing(level)) {
      return "";
    }
    if (t.frameDepth() - level == s.hookDepth) {
      return "hook '?'";
    }
    if (t.frameDepth() - level == s.finalizerDepth) {
      return "metamethod '__gc'";
    }
    int x = s.scratch(1);
    t.peek(x, level + 1, 0);
    Code code = s.codes.of(t, x);
    String name = "";
    if (code != null) {
      t.peek(x, level + 1, code.pcSlot);
      name = new Names(s, code).called(Return.pc(t.get(x)) - 1);
    }
    t.resizeFrame(x);
    return name;
  }

  // ---- types ----

  /** Returns the __name of a value's metatable, or else the name of the value's type. */
  String typeName(int slot) {
    int type = Types.of(t, slot);
    if (type == Types.TABLE || type == Types.USERDATA) {
      int x = s.scratch(1);
      String name =
          meta.method(x, slot, Metatables.NAME) && Types.isString(t, x)
              ? Paths.upToZero(strings.get(x))
              : Types.name(type);
      t.resizeFrame(x);
      return name;
    }
    return Types.name(type);
  }

  /** Returns the name of an argument's type as messages about arguments show it. */
  String argumentType(int slot) {
    String name = typeName(slot);
    boolean light = Types.of(t, slot) == Types.USERDATA && Types.isLight(t, slot);
    return light && name.equals(Types.name(Types.USERDATA)) ? "light userdata" : name;
  }

  // ---- errors of instructions ----

  LuaError call(int a) {
    Code code = running();
    String name = code == null ? "" : new Names(s, code).called(s.at);
    return error("attempt to call a " + typeName(a) + " value" + inParentheses(name));
  }

  /** Returns an error about an index. The object is in a slot, and in a register or -1. */
  LuaError index(int register, int object) {
    String name = register < 0 ? "" : variable(register);
    return error("attempt to index a " + typeName(object) + " value" + name);
  }

  LuaError arithmetic(int op, int b, int c) {
    if (op == Op.CONCAT) {
      boolean text = Types.isString(t, b) || Types.isNumber(t, b);
      return operand("concatenate a", text ? c : b);
    }
    if (Words.isBitwise(op) || op == Op.BNOT) {
      if (Types.isNumber(t, b) && Types.isNumber(t, c)) {
        int bad = hasInteger(b) ? c : b;
        return error("number" + variable(bad) + " has no integer representation");
      }
      return operand("perform bitwise operation on a", Types.isNumber(t, b) ? c : b);
    }
    return operand("perform arithmetic on a", Types.isNumber(t, b) ? c : b);
  }

  private boolean hasInteger(int slot) {
    long v = t.get(slot);
    return s.isInteger(slot, v) || (Values.isDouble(v) && Numbers.hasInteger(Values.toDouble(v)));
  }

  private LuaError operand(String what, int slot) {
    return error("attempt to " + what + " " + typeName(slot) + " value" + variable(slot));
  }

  LuaError length(int b) {
    return operand("get length of a", b);
  }

  LuaError compare(int a, int b) {
    String x = typeName(a);
    String y = typeName(b);
    return error(
        x.equals(y)
            ? "attempt to compare two " + x + " values"
            : "attempt to compare " + x + " with " + y);
  }

  LuaError forError(String what, int slot) {
    String name = what.equals("initial") ? "initial value" : what;
    return error("bad 'for' " + name + " (number expected, got " + typeName(slot) + ")");
  }

  void checkKey(int k) {
    long v = t.get(k);
    if (v == Values.UNDEFINED) {
      throw error("table index is nil");
    }
    if (Values.isDouble(v) && Double.isNaN(Values.toDouble(v))) {
      throw error("table index is NaN");
    }
  }

  /** Returns an error about an argument of the running library function. */
  LuaError argument(int i, String message) {
    String called = called(0);
    int argument = i;
    String name = "?";
    int quote = called.indexOf('\'');
    if (quote >= 0) {
      name = called.substring(quote + 1, called.length() - 1);
    } else {
      int number = t.functionCode(0);
      name = number < 0 ? "?" : s.codes.name(number);
    }
    if (called.startsWith("method")) {
      argument--;
      if (argument == 0) {
        return new LuaError(where(1) + "calling '" + name + "' on bad self");
      }
    }
    return new LuaError(
        where(1) + "bad argument #" + argument + " to '" + name + "' (" + message + ")");
  }

  // ---- names ----

  private String variable(int register) {
    Code code = running();
    if (code == null || register >= code.frameSize) {
      return "";
    }
    int i = code.code[s.at];
    Names names = new Names(s, code);
    return inParentheses(
        register == code.frameSize - 1
            ? names.indexed(s.at)
            : names.register(s.at, (i & 255) == Op.SELF ? i >>> 16 & 255 : register));
  }

  private static String inParentheses(String name) {
    return name.isEmpty() ? "" : " (" + name + ")";
  }
}
