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
  /** Registers from this one on are never held, as a mask has no room for them. */
  static final int MOST = 63;

  /** The held registers at unreached code: any. */
  private static final long UNREACHED = -1;

  private static final long EVERY = -1;

  private final int[] code;

  /** Registers from this one on are not held. */
  private final int most;

  /** The registers that all jumps to an instruction hold; meaningless elsewhere. */
  private final long[] joined;

  private final boolean[] joins;

  /** The held registers at each reached instruction. */
  private final long[] heldAt;

  private long all;
  private boolean changed;

  /**
   * Analyzes a function.
   *
   * @param code the instructions
   * @param most registers from this one on are not held; at most {@link #MOST}
   */
  Registers(int[] code, int most) {
    this.code = code;
    this.most = most;
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
    do {
      changed = false;
      flow();
    } while (changed);
  }

  /** Returns the mask of one register; empty if the register is never held. */
  long one(int register) {
    return register < most ? 1L << register : 0;
  }

  /** Returns whether any register can be held. */
  boolean areHeld() {
    return most > 0;
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
          long _ = meet(code[pc + 1], afterJump(code[pc], held));
        }
        held = after(code[pc], held);
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
  long afterJump(int i, long held) {
    int a = i >>> 8 & 255;
    return switch (i & 255) {
      case Op.FOR_PREPARE -> held & ~range(a, 4); // the loop is over, and its registers are free
      case Op.FOR_LOOP -> held | range(a, 4);
      default -> after(i, held);
    };
  }

  /** Returns the registers that are held behind an instruction. */
  long after(int i, long held) {
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
      case Op.FOR_PREPARE -> held | range(a, 4);
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
  long inFrame(int i, long held) {
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
