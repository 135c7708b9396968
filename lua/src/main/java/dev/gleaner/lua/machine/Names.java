package dev.gleaner.lua.machine;

import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.compiler.Prototype.Variable;

/**
 * Finds what a register holds in the words of the source, by a look at the code before it. Each
 * look is charged: the code may be long, and errors many.
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
    return switch (i & 255) {
      case Op.SET_BOX,
          Op.SET_UPVALUE_BOX,
          Op.SET_GLOBAL,
          Op.SET_TABLE,
          Op.SET_FIELD,
          Op.SET_INT,
          Op.SET_LIST,
          Op.JUMP,
          Op.TEST,
          Op.EQ,
          Op.LT,
          Op.LE,
          Op.EQ_NUMBER,
          Op.LT_NUMBER,
          Op.LE_NUMBER,
          Op.GT_NUMBER,
          Op.GE_NUMBER,
          Op.EQ_STRING,
          Op.EQ_NIL,
          Op.RETURN,
          Op.TBC,
          Op.CLOSE,
          Op.TFOR_LOOP,
          Op.TFOR_PREPARE ->
          false;
      case Op.LOAD_NIL -> register >= a && register < a + b;
      case Op.SELF -> register == a || register == a + 1;
      case Op.CALL, Op.TAIL_CALL, Op.VARARG, Op.FOR_PREPARE, Op.FOR_LOOP, Op.CONCAT ->
          register >= a;
      case Op.TFOR_CALL -> register >= a + 4;
      default -> register == a;
    };
  }

  /** A variable that is in a register: "local 'x'"; empty if none is. */
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
   * How a message names a register: "global 'x'", "local 'x'", "method 'x'", "field 'x'", "upvalue
   * 'x'", "constant 'x'".
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
      from = setter; // each turn has a smaller register, so there are 255 at most
      asked = b;
    }
  }

  /** What an instruction makes. */
  @SuppressWarnings("RefactorSwitch") // its cases do several things
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

  /** Whether a register has the variable _ENV, or what was just read of it. */
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

  /** A key that is a constant; what else it is does not matter, so nothing nests. */
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

  /** The string of an instruction, up to where C ends it. */
  private String text(int at) {
    String text = code.prototype.strings[code.code[at + 1]];
    int zero = text.indexOf('\0');
    return zero < 0 ? text : text.substring(0, zero);
  }

  /** The upvalue that an instruction indexes, if it is one that does; or empty. */
  String indexed(int at) {
    int i = code.code[at];
    boolean indexes = (i & 255) == Op.GET_GLOBAL || (i & 255) == Op.SET_GLOBAL;
    return indexes ? "upvalue '" + upvalue(i >>> 16 & 255) + "'" : "";
  }

  private String upvalue(int index) {
    return code.prototype.captures[index].name();
  }

  /** The last instruction before another one that sets a register, if it surely ran; or -1. */
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

  /** What a call calls, from the instruction in its caller: "global 'f'"; or empty. */
  String called(int at) {
    s.limits.work(at / PER_STEP);
    int start = 0;
    for (int pc = 0; pc <= at; pc += Op.width(code.code[pc] & 255)) {
      start = pc;
    }
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
