package dev.gleaner.lua.machine;

import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import java.util.Arrays;

/**
 * The registers of a function that are live before each instruction: those that code reads before
 * it writes them, and the variables in scope. As in PUC Lua a variable keeps its value alive to the
 * end of its scope. The sets are computed from the last instruction to the first, again and again
 * until none changes.
 *
 * <pre>
 *   before = (after - written) + read + variables in scope;   after = before the successors
 * </pre>
 */
final class LiveRegisters {
  private static final int OPEN_LIST = 255;

  /**
   * Two passes do for compiled code, as between statements only variables are live. A crafted dump
   * may need as many as it has instructions: after this many all its registers count as live.
   */
  private static final int MOST_PASSES = 16;

  /** The longs of an object with its arrays, beside what the arrays hold. */
  private static final int OBJECT = 32;

  private final Prototype p;
  private final int[] code;
  private final int frameSize;

  /** The words of a set of registers. */
  private final int words;

  /** The sets before the instructions, by instruction. */
  private final long[] before;

  /** The start of the instruction that each word belongs to. */
  private final int[] starts;

  private final long[] now;
  private final long[] behind;

  /** The place whose registers {@link #behind} has: coroutines often wait at the same one again. */
  private int asked = -1;

  private boolean askedCalled;

  LiveRegisters(Prototype p) {
    this.p = p;
    this.code = p.code;
    this.frameSize = p.frameSize;
    this.words = (frameSize + 63) >>> 6;
    this.before = new long[code.length * words];
    this.starts = new int[code.length];
    this.now = new long[words];
    this.behind = new long[words];
    addVariables();
    int last = 0;
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      last = pc;
      for (int i = 0; i < Op.width(code[pc] & 255); i++) {
        starts[pc + i] = pc;
      }
    }
    boolean changed = true;
    for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
      changed = false;
      for (int pc = last; pc >= 0; pc = pc == 0 ? -1 : starts[pc - 1]) {
        changed |= step(pc);
      }
    }
    if (changed) {
      Arrays.fill(before, -1);
    }
  }

  /** Returns the longs of the JVM's memory that the sets take. */
  static long size(Prototype p) {
    return OBJECT + (long) p.code.length * (((p.frameSize + 63) >>> 6) + 1);
  }

  private void addVariables() {
    for (Variable v : p.variables) {
      for (int pc = v.from(); pc < Math.min(v.to(), code.length); pc++) {
        before[pc * words + (v.register() >>> 6)] |= 1L << v.register();
      }
    }
  }

  private boolean step(int pc) {
    int i = code[pc];
    int op = i & 255;
    int next = pc + Op.width(op);
    boolean falls = op != Op.JUMP && op != Op.RETURN && op != Op.TAIL_CALL && op != Op.TFOR_PREPARE;
    for (int w = 0; w < words; w++) {
      now[w] = falls && next < code.length ? before[next * words + w] : 0;
      now[w] |= Op.jumps(op) ? before[code[pc + 1] * words + w] : 0;
    }
    write(i);
    read(pc, i);
    boolean changed = false;
    for (int w = 0; w < words; w++) {
      long old = before[pc * words + w];
      before[pc * words + w] |= now[w];
      changed |= old != before[pc * words + w];
    }
    return changed;
  }

  private void add(int register) {
    if (register < frameSize) {
      now[register >>> 6] |= 1L << register;
    }
  }

  private void add(int first, int count) {
    for (int r = first; r < Math.min(first + count, frameSize); r++) {
      add(r);
    }
  }

  private static void remove(long[] set, int first, int end) {
    for (int r = first; r < Math.min(end, set.length << 6); r++) {
      set[r >>> 6] &= ~(1L << r);
    }
  }

  /** Removes the registers that an instruction surely writes. */
  private void write(int i) {
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    int c = i >>> 24;
    switch (i & 255) {
      case Op.LOAD_NIL, Op.CONCAT -> remove(now, a, a + b);
      case Op.SELF -> remove(now, a, a + 2);
      case Op.CALL -> remove(now, a, c == 0 ? frameSize : a + c - 1);
      case Op.VARARG -> remove(now, a, b == 0 ? frameSize : a + b - 1);
      case Op.FOR_PREPARE, Op.FOR_LOOP -> remove(now, a + 3, frameSize);
      case Op.TFOR_CALL -> remove(now, a + 4, frameSize);
      case Op.TAIL_CALL -> {}
      default -> remove(now, a, Op.writesNone(i & 255) ? a : a + 1);
    }
  }

  /** Adds the registers that an instruction reads. */
  private void read(int pc, int i) {
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    int c = i >>> 24;
    switch (i & 255) {
      case Op.MOVE,
          Op.GET_BOX,
          Op.GET_FIELD,
          Op.GET_INT,
          Op.SELF,
          Op.ADD_NUMBER,
          Op.SUB_NUMBER,
          Op.MUL_NUMBER,
          Op.MOD_NUMBER,
          Op.POW_NUMBER,
          Op.DIV_NUMBER,
          Op.IDIV_NUMBER,
          Op.NEGATE,
          Op.BNOT,
          Op.NOT,
          Op.LENGTH ->
          add(b);
      case Op.BOX,
          Op.SET_UPVALUE_BOX,
          Op.SET_GLOBAL,
          Op.TEST,
          Op.EQ_NUMBER,
          Op.LT_NUMBER,
          Op.LE_NUMBER,
          Op.GT_NUMBER,
          Op.GE_NUMBER,
          Op.EQ_STRING,
          Op.EQ_NIL,
          Op.TBC ->
          add(a);
      case Op.SET_BOX, Op.SET_FIELD, Op.EQ, Op.LT, Op.LE -> {
        add(a);
        add(b);
      }
      case Op.SET_TABLE -> {
        add(a);
        add(b);
        add(c);
      }
      case Op.SET_INT -> {
        add(a);
        add(c);
      }
      case Op.GET_TABLE,
          Op.ADD,
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
          Op.SHR -> {
        add(b);
        add(c);
      }
      case Op.SET_LIST -> {
        add(a);
        add(b, c == OPEN_LIST ? frameSize : c);
      }
      case Op.CONCAT -> add(a, b);
      case Op.CALL, Op.TAIL_CALL -> add(a, b == 0 ? frameSize : b);
      case Op.RETURN -> add(a, b == 0 ? frameSize : b - 1);
      case Op.FOR_PREPARE -> add(a, 3);
      case Op.FOR_LOOP -> add(a, 4);
      case Op.TFOR_PREPARE -> add(a, 4);
      case Op.TFOR_CALL -> add(a, 4);
      case Op.TFOR_LOOP -> add(a, 5);
      case Op.CLOSURE -> {
        for (Capture captured : p.inner[code[pc + 1]].captures) {
          if (captured.local()) {
            add(captured.index());
          }
        }
      }
      default -> {}
    }
  }

  /**
   * Finds the registers that a frame may still read.
   *
   * @param at a word of the instruction that the frame is at
   * @param called whether the frame waits for a function of Lua or the library to return
   * @return the set, which is valid until the next call
   */
  long[] live(int at, boolean called) {
    if (asked != at || askedCalled != called) {
      find(at, called);
      asked = at;
      askedCalled = called;
    }
    return behind;
  }

  private void find(int at, boolean called) {
    int pc = starts[Math.clamp(at, 0, code.length - 1)];
    int i = code[pc];
    int next = pc + Op.width(i & 255);
    int op = i & 255;
    boolean waits = called && (op == Op.CALL || op == Op.TFOR_CALL);
    for (int w = 0; w < words; w++) {
      long after = next < code.length ? before[next * words + w] : 0;
      after |= Op.jumps(i & 255) ? before[code[pc + 1] * words + w] : 0;
      behind[w] = after | (waits ? 0 : before[pc * words + w]);
    }
    if (waits) {
      int a = i >>> 8 & 255;
      int c = i >>> 24;
      boolean iterates = op == Op.TFOR_CALL;
      remove(behind, iterates ? a + 4 : a, iterates || c == 0 ? frameSize : a + c - 1);
      addEnding(pc, next);
    } else if (op == Op.CALL || op == Op.TAIL_CALL) {
      // The arguments of a value with __call move up, and the called frame is not there yet.
      for (int r = i >>> 8 & 255; r < frameSize; r++) {
        behind[r >>> 6] |= 1L << r;
      }
    }
  }

  /** Adds the variables whose scope ends with the instruction. They are in the order of ends. */
  private void addEnding(int pc, int next) {
    Variable[] variables = p.variables;
    int low = 0;
    int high = variables.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (variables[middle].to() > pc) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (int v = low; v < variables.length && variables[v].to() <= next; v++) {
      if (variables[v].from() <= pc) {
        behind[variables[v].register() >>> 6] |= 1L << variables[v].register();
      }
    }
  }
}
