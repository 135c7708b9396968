package dev.gleaner.lua.machine;

import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.compiler.Prototype.Variable;

/**
 * Finds the source's name for the value of a register, by a look at the code before. Each look is
 * charged, since the code may be long, and errors many.
 */
final class Names {
  private static final int PER_STEP = 16;

  private final State s;
  private final Code code;

  Names(State state, Code code) {
    this.s = state;
    this.code = code;
  }

  private static boolean writes(int i, int register) {
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    if (Op.writesNone(i & 255)) {
      return false;
    }
    return switch (i & 255) {
      case Op.LOAD_NIL -> register >= a && register < a + b;
      case Op.SELF -> register == a || register == a + 1;
      case Op.CALL, Op.TAIL_CALL, Op.VARARG, Op.FOR_PREPARE, Op.FOR_LOOP, Op.CONCAT ->
          register >= a;
      case Op.TFOR_CALL -> register >= a + 4;
      default -> register == a;
    };
  }

  /** Returns the name of the variable in a register; empty if there is none. */
  String local(int at, int register) {
    s.limits.work(code.prototype.variables.length / PER_STEP);
    for (Variable v : code.prototype.variables) {
      if (v.register() == register && v.from() <= at && at < v.to() && !v.name().startsWith("(")) {
        return v.name();
      }
    }
    return "";
  }

  /**
   * Returns a register's name in messages: "global 'x'", "local 'x'", "method 'x'", "field 'x'",
   * "upvalue 'x'", "constant 'x'".
   */
  String register(int at, int register) {
    int from = at;
    int asked = register;
    while (true) {
      String local = local(from, asked);
      if (!local.isEmpty()) {
        return "local '" + local + "'";
      }
      int setter = setter(from, asked);
      if (setter < 0) {
        return "";
      }
      int i = code.code[setter];
      int b = i >>> 16 & 255;
      if ((i & 255) != Op.MOVE) {
        return made(setter);
      }
      if (b >= (i >>> 8 & 255)) {
        return "";
      }
      from = setter; // the register gets smaller, so there are 255 turns at most
      asked = b;
    }
  }

  /** Returns the name of an instruction's result. */
  @SuppressWarnings("RefactorSwitch") // each case does several things
  private String made(int setter) {
    int i = code.code[setter];
    int b = i >>> 16 & 255;
    switch (i & 255) {
      case Op.GET_GLOBAL -> {
        String name = text(setter);
        boolean environment = upvalue(b).equals("_ENV");
        return (environment ? "global '" : "field '") + name + "'";
      }
      case Op.GET_FIELD -> {
        String name = text(setter);
        boolean environment = isEnvironment(setter, b);
        return (environment ? "global '" : "field '") + name + "'";
      }
      case Op.SELF -> {
        return "method '" + text(setter) + "'";
      }
      case Op.GET_UPVALUE, Op.GET_UPVALUE_BOX -> {
        return "upvalue '" + upvalue(b) + "'";
      }
      case Op.GET_BOX -> {
        String boxed = local(setter, b);
        return boxed.isEmpty() ? "" : "local '" + boxed + "'";
      }
      case Op.LOAD_STRING -> {
        return "constant '" + text(setter) + "'";
      }
      case Op.GET_TABLE -> {
        return "field '" + key(setter, i >>> 24) + "'";
      }
      case Op.GET_INT -> {
        return "field 'integer index'";
      }
      default -> {
        return "";
      }
    }
  }

  /** Returns whether a register holds _ENV, or a value just read from the variable. */
  private boolean isEnvironment(int at, int register) {
    String local = local(at, register);
    int setter = local.isEmpty() ? setter(at, register) : -1;
    if (setter >= 0) {
      int b = code.code[setter] >>> 16 & 255;
      switch (code.code[setter] & 255) {
        case Op.GET_UPVALUE, Op.GET_UPVALUE_BOX -> local = upvalue(b);
        case Op.GET_BOX -> local = local(setter, b);
        default -> {
          return false;
        }
      }
    }
    return local.equals("_ENV");
  }

  /** Returns a constant key, or "?". Other keys have no name, so the search does not nest. */
  private String key(int at, int register) {
    int from = at;
    int asked = register;
    while (local(from, asked).isEmpty()) {
      int setter = setter(from, asked);
      int i = setter < 0 ? Op.RETURN : code.code[setter];
      int b = i >>> 16 & 255;
      if ((i & 255) == Op.LOAD_STRING) {
        return text(setter);
      }
      if ((i & 255) != Op.MOVE || b >= (i >>> 8 & 255)) {
        break;
      }
      from = setter;
      asked = b;
    }
    return "?";
  }

  /** Returns the string of an instruction, up to a zero byte as in C. */
  private String text(int at) {
    return Paths.upToZero(code.prototype.strings[code.code[at + 1]]);
  }

  /** Returns the upvalue that an instruction indexes; empty if there is none. */
  String indexed(int at) {
    int i = code.code[at];
    boolean indexes = (i & 255) == Op.GET_GLOBAL || (i & 255) == Op.SET_GLOBAL;
    return indexes ? "upvalue '" + upvalue(i >>> 16 & 255) + "'" : "";
  }

  private String upvalue(int index) {
    String name = code.prototype.captures[index].name();
    return name.isEmpty() ? "?" : name;
  }

  /** Returns the last instruction that set a register, if it surely ran; or else -1. */
  private int setter(int at, int register) {
    s.limits.work(at / PER_STEP);
    int found = -1;
    int jumped = 0;
    for (int pc = 0; pc < at; pc += Op.width(code.code[pc] & 255)) {
      int i = code.code[pc];
      if ((i & 255) == Op.JUMP || isConditional(i & 255)) {
        int target = code.code[pc + 1];
        if (target <= at && target > jumped) {
          jumped = target;
        }
      }
      if (writes(i, register)) {
        found = pc < jumped ? -1 : pc;
      }
    }
    return found;
  }

  private static boolean isConditional(int op) {
    return op >= Op.TEST && op <= Op.EQ_NIL;
  }

  /** Returns the first word of an instruction. */
  int start(int at) {
    s.limits.work(at / PER_STEP);
    int start = 0;
    for (int pc = 0; pc <= at; pc += Op.width(code.code[pc] & 255)) {
      start = pc;
    }
    return start;
  }

  /** Returns a callee's name by the caller's instruction, as "global 'f'"; empty if unknown. */
  String called(int at) {
    int start = start(at);
    int i = code.code[start];
    return switch (i & 255) {
      case Op.CALL, Op.TAIL_CALL -> register(start, i >>> 8 & 255);
      case Op.TFOR_CALL -> "for iterator 'for iterator'";
      case Op.GET_TABLE, Op.GET_FIELD, Op.GET_INT, Op.GET_GLOBAL, Op.SELF -> "metamethod 'index'";
      case Op.SET_TABLE, Op.SET_FIELD, Op.SET_INT, Op.SET_GLOBAL -> "metamethod 'newindex'";
      case Op.ADD, Op.ADD_NUMBER -> "metamethod 'add'";
      case Op.SUB, Op.SUB_NUMBER -> "metamethod 'sub'";
      case Op.MUL, Op.MUL_NUMBER -> "metamethod 'mul'";
      case Op.MOD, Op.MOD_NUMBER -> "metamethod 'mod'";
      case Op.POW, Op.POW_NUMBER -> "metamethod 'pow'";
      case Op.DIV, Op.DIV_NUMBER -> "metamethod 'div'";
      case Op.IDIV, Op.IDIV_NUMBER -> "metamethod 'idiv'";
      case Op.BAND -> "metamethod 'band'";
      case Op.BOR -> "metamethod 'bor'";
      case Op.BXOR -> "metamethod 'bxor'";
      case Op.SHL -> "metamethod 'shl'";
      case Op.SHR -> "metamethod 'shr'";
      case Op.NEGATE -> "metamethod 'unm'";
      case Op.BNOT -> "metamethod 'bnot'";
      case Op.LENGTH -> "metamethod 'len'";
      case Op.CONCAT -> "metamethod 'concat'";
      case Op.EQ -> "metamethod 'eq'";
      case Op.LT, Op.LT_NUMBER, Op.GT_NUMBER -> "metamethod 'lt'";
      case Op.LE, Op.LE_NUMBER, Op.GE_NUMBER -> "metamethod 'le'";
      case Op.CLOSE, Op.RETURN -> "metamethod 'close'";
      default -> "";
    };
  }
}
