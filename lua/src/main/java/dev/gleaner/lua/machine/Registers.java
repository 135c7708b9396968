package dev.gleaner.lua.machine;

import dev.gleaner.lua.compiler.Op;
import java.util.Arrays;

/**
 * Decides which registers of a function its {@link CompiledBody} holds in Java locals. A held
 * register is known to hold no reference: an instruction has computed with its value, or has made
 * the value.
 *
 * <p>The local holds the value of a held register. The slot holds the same value, or an older one
 * that is no reference either. So the collector always sees a sound frame, and no dead element
 * stays alive. Slots are written before other code reads them.
 *
 * <p>Sets of registers are masks. Where jumps meet, a register is held if all ways hold it.
 */
final class Registers {
  /** What a function holds. */
  enum Holding {
    /** All that is known to hold no reference. */
    NUMBERS,
    /** The registers of the loops whose turns need no frame; the steps compute in slots. */
    LOOPS,
    NOTHING
  }

  /** Registers from this one on are never held, as a mask has no room for them. */
  static final int MOST = 63;

  /**
   * The most words of a loop whose registers alone are held. The turn of a longer loop is a small
   * part of the loop, and there are more places at which the slots have to be written.
   */
  private static final int MOST_WORDS = 20;

  /** The held registers at unreached code: any. */
  private static final long UNREACHED = -1;

  private static final long EVERY = -1;

  private final int[] code;

  private final Holding holding;

  /** Registers from this one on are not held. */
  private final int most;

  /** The registers that all jumps to an instruction hold; meaningless elsewhere. */
  private final long[] joined;

  private final boolean[] joins;

  /** Whether the registers of a loop are held, where it is prepared and where it turns. */
  private final boolean[] byLoop;

  /** The registers of the innermost loop around an instruction whose slots may be older. */
  private final long[] late;

  /** The held registers at each reached instruction. */
  private final long[] heldAt;

  private long all;
  private boolean changed;

  /**
   * Analyzes a function.
   *
   * @param code the instructions
   * @param holding what is held
   */
  Registers(int[] code, Holding holding) {
    this.code = code;
    this.holding = holding;
    this.most = holding == Holding.NOTHING ? 0 : MOST;
    this.heldAt = new long[code.length + 1];
    Arrays.fill(heldAt, UNREACHED);
    this.joined = new long[code.length + 1];
    this.joins = new boolean[code.length + 1];
    Arrays.fill(joined, UNREACHED);
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      if (Op.jumps(code[pc] & 255)) {
        joins[code[pc + 1]] = true;
      }
    }
    this.byLoop = new boolean[code.length];
    this.late = new long[code.length + 1];
    if (holding == Holding.LOOPS) {
      findLoops();
    }
    do {
      changed = false;
      flow();
    } while (changed);
  }

  /** Returns the mask of one register; empty if the register is never held. */
  long one(int register) {
    return register < most ? 1L << register : 0;
  }

  /** Returns whether steps compute with held registers, not in slots. */
  boolean areHeld() {
    return holding == Holding.NUMBERS;
  }

  /**
   * Returns whether the registers of a loop are held.
   *
   * @param pc the instruction that prepares the loop or does a turn
   */
  boolean areHeldByLoop(int pc) {
    return areHeld() || byLoop[pc];
  }

  /**
   * Returns the held registers whose slots may be older where a jump arrives. Of the registers of
   * loops, only those of an innermost loop wait, so that few are written where they are needed.
   */
  long late(int pc) {
    return areHeld() ? joined[pc] : joined[pc] & late[pc];
  }

  private void findLoops() {
    boolean[] instructions = new boolean[code.length];
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      instructions[pc] = true;
      int prepare = (code[pc] & 255) == Op.FOR_LOOP ? code[pc + 1] - Op.width(Op.FOR_PREPARE) : pc;
      if (prepare >= 0 && prepare < pc && instructions[prepare] && prepares(prepare, pc)) {
        findLoop(prepare, pc);
      }
    }
  }

  private boolean prepares(int pc, int turn) {
    return (code[pc] & 0xFFFF) == (Op.FOR_PREPARE | (code[turn] & 0xFF00))
        && code[pc + 1] == turn + Op.width(Op.FOR_LOOP);
  }

  private void findLoop(int prepare, int turn) {
    if (turn - prepare > MOST_WORDS) {
      return;
    }
    boolean innermost = true;
    for (int pc = code[turn + 1]; pc < turn; pc += Op.width(code[pc] & 255)) {
      int op = code[pc] & 255;
      if (!computes(op)) {
        return;
      }
      innermost &= op != Op.FOR_PREPARE;
    }
    byLoop[prepare] = true;
    byLoop[turn] = true;
    if (innermost) {
      Arrays.fill(late, prepare, turn + 1, range(code[turn] >>> 8 & 255, 2));
    }
  }

  /** Returns whether an instruction reads no slots but those that it names. */
  private static boolean computes(int op) {
    return switch (op) {
      case Op.MOVE,
          Op.LOAD_NIL,
          Op.LOAD_BOOLEAN,
          Op.LOAD_INT,
          Op.LOAD_NUMBER,
          Op.LOAD_STRING,
          Op.GET_BOX,
          Op.SET_BOX,
          Op.GET_UPVALUE,
          Op.GET_UPVALUE_BOX,
          Op.SET_UPVALUE_BOX,
          Op.GET_TABLE,
          Op.SET_TABLE,
          Op.NOT,
          Op.JUMP,
          Op.TEST,
          Op.RETURN,
          Op.FOR_PREPARE,
          Op.FOR_LOOP ->
          true;
      default -> (op >= Op.ADD && op <= Op.NEGATE) || (op >= Op.EQ && op <= Op.EQ_NIL);
    };
  }

  /** Returns the mask of registers in a row. */
  long range(int first, int count) {
    return below(first + count) & ~below(first);
  }

  long below(int register) {
    return (1L << Math.min(register, most)) - 1;
  }

  /** Returns whether a jump arrives at an instruction. */
  boolean joins(int pc) {
    return joins[pc];
  }

  /** Returns the registers that are held where a jump arrives. */
  long joined(int pc) {
    return joined[pc];
  }

  /** Returns the registers that are held at a reached instruction. */
  long heldAt(int pc) {
    return heldAt[pc];
  }

  /** Returns whether any way leads to an instruction. */
  boolean isReached(int pc) {
    return heldAt[pc] != UNREACHED;
  }

  /** Returns all registers that are held anywhere. */
  long all() {
    return all;
  }

  private void flow() {
    long held = 0;
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      int op = code[pc] & 255;
      if (joins[pc]) {
        held = meet(pc, held);
      }
      if (held != UNREACHED) {
        heldAt[pc] = held;
        if (Op.jumps(op)) {
          long _ = meet(code[pc + 1], afterJump(pc, held));
        }
        held = after(pc, held);
        if (held != UNREACHED) {
          all |= held;
        }
      }
      if (op == Op.JUMP || op == Op.RETURN || op == Op.TAIL_CALL) {
        held = UNREACHED;
      }
    }
  }

  private long meet(int pc, long held) {
    long both = joined[pc] & held;
    changed |= both != joined[pc];
    joined[pc] = both;
    return both;
  }

  /** Returns the registers that are held after an instruction's jump. */
  long afterJump(int pc, long held) {
    int i = code[pc];
    int a = i >>> 8 & 255;
    return switch (i & 255) {
      case Op.FOR_PREPARE -> held & ~range(a, 4); // the loop is over, and its registers are free
      case Op.FOR_LOOP -> heldByLoop(pc, held);
      default -> after(pc, held);
    };
  }

  /** Returns the registers that are held in a loop. The steps read its variable in the slot. */
  private long heldByLoop(int pc, long held) {
    int a = code[pc] >>> 8 & 255;
    if (!areHeldByLoop(pc)) {
      return held & ~range(a, 4);
    }
    return areHeld() ? held | range(a, 4) : (held | range(a, 3)) & ~one(a + 3);
  }

  /** Returns the registers that are held behind an instruction. */
  long after(int pc, long held) {
    int i = code[pc];
    int op = i & 255;
    if (op == Op.FOR_PREPARE) {
      return heldByLoop(pc, held);
    }
    long after = heldAfter(i, held);
    return areHeld() ? after : after & held & ~definedInSlots(i);
  }

  /** Returns the registers that an instruction defines as a number, a boolean, nil or a copy. */
  private long definedInSlots(int i) {
    int a = i >>> 8 & 255;
    int op = i & 255;
    return switch (op) {
      case Op.LOAD_NIL -> range(a, i >>> 16 & 255);
      case Op.MOVE, Op.LOAD_BOOLEAN, Op.LOAD_INT, Op.LOAD_NUMBER, Op.NOT -> one(a);
      default -> op >= Op.ADD && op <= Op.NEGATE ? one(a) : 0;
    };
  }

  private long heldAfter(int i, long held) {
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    int c = i >>> 24;
    return switch (i & 255) {
      case Op.ADD,
          Op.SUB,
          Op.MUL,
          Op.MOD,
          Op.POW,
          Op.DIV,
          Op.IDIV,
          Op.BAND,
          Op.BOR,
          Op.BXOR,
          Op.SHL,
          Op.SHR ->
          held | one(a) | one(b) | one(c);
      case Op.ADD_NUMBER,
          Op.SUB_NUMBER,
          Op.MUL_NUMBER,
          Op.MOD_NUMBER,
          Op.POW_NUMBER,
          Op.DIV_NUMBER,
          Op.IDIV_NUMBER,
          Op.NEGATE,
          Op.LT,
          Op.LE ->
          held | one(a) | one(b);
      case Op.LOAD_INT,
          Op.LOAD_NUMBER,
          Op.LOAD_BOOLEAN,
          Op.NOT,
          Op.LT_NUMBER,
          Op.LE_NUMBER,
          Op.GT_NUMBER,
          Op.GE_NUMBER ->
          held | one(a);
      case Op.LOAD_NIL -> held | range(a, b);
      case Op.MOVE -> (held & one(b)) != 0 ? held | one(a) : held & ~one(a);
      case Op.FOR_LOOP -> held & ~range(a, 4);
      case Op.SELF -> held & ~range(a, 2);
      case Op.CONCAT, Op.VARARG, Op.CALL -> held & below(a);
      case Op.TFOR_CALL -> held & below(a + 4);
      case Op.TFOR_LOOP -> held & ~range(a, 5);
      case Op.TAIL_CALL, Op.RETURN, Op.TBC, Op.CLOSE -> 0;
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
          Op.EQ_NUMBER,
          Op.EQ_STRING,
          Op.EQ_NIL,
          Op.TFOR_PREPARE ->
          held;
      default -> held & ~one(a);
    };
  }

  /** Returns the registers whose slots must be written before: an instruction may read them. */
  long inFrame(int pc, long held) {
    return readInFrame(code[pc], held) | (areHeld() ? 0 : readInSlots(pc));
  }

  /** Returns the registers whose slots an instruction reads since it does not compute in locals. */
  private long readInSlots(int pc) {
    int i = code[pc];
    int op = i & 255;
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    return switch (op) {
      case Op.LT, Op.LE -> one(a) | one(b);
      case Op.FOR_PREPARE, Op.FOR_LOOP -> areHeldByLoop(pc) ? 0 : range(a, 4);
      default -> {
        long second = op >= Op.ADD && op <= Op.SHR ? one(i >>> 24) : 0;
        yield op == Op.MOVE || (op >= Op.ADD && op <= Op.NEGATE) ? one(b) | second : 0;
      }
    };
  }

  private long readInFrame(int i, long held) {
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    int c = i >>> 24;
    boolean both = (held & one(a)) != 0 && (held & one(b)) != 0;
    return switch (i & 255) {
      case Op.SET_UPVALUE_BOX, Op.SET_BOX -> one(a) | one(b);
      case Op.GET_BOX -> one(b);
      case Op.GET_TABLE -> one(b) | one(c);
      case Op.SET_TABLE -> one(a) | one(b) | one(c);
      case Op.EQ -> both ? 0 : one(a) | one(b);
      case Op.EQ_STRING -> one(a);
      case Op.TFOR_PREPARE -> one(a + 3);
      case Op.LOAD_LONG,
          Op.BOX,
          Op.GET_GLOBAL,
          Op.SET_GLOBAL,
          Op.GET_FIELD,
          Op.SET_FIELD,
          Op.GET_INT,
          Op.SET_INT,
          Op.NEW_TABLE,
          Op.SET_LIST,
          Op.SELF,
          Op.BNOT,
          Op.LENGTH,
          Op.CONCAT,
          Op.TFOR_CALL,
          Op.TFOR_LOOP,
          Op.VARARG,
          Op.CLOSURE ->
          EVERY;
      case Op.CALL, Op.TAIL_CALL -> b == 0 ? EVERY : below(a + b);
      case Op.RETURN -> b == 0 ? EVERY : range(a, b - 1);
      default -> 0;
    };
  }
}
