package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Checks the code of a function from outside. Accepted code can do no more than some source text
 * could. The verifier follows each way through the code, with the kind of each register: a value, a
 * box, a table under construction, or the state of a numeric loop.
 */
final class Verifier {
  /** A register with a value or a box: the verifier does not know which. */
  private static final byte UNKNOWN = 0;

  private static final byte VALUE = 1;
  private static final byte BOX = 2;
  private static final byte TABLE = 3;
  private static final byte COUNTS = 4;
  private static final int MOST_REGISTERS = 251;
  private static final int MOST_CAPTURES = 255;

  /** Bytes of the JVM's heap for the kinds of registers at one instruction. */
  private static final int KNOWN = Account.ENTRY + 4 * Account.OBJECT;

  /** The most bytes for the kinds of registers at all targets of jumps. */
  private static final long MOST_KNOWN = 32 << 20;

  /** The count for all open values of a list. */
  private static final int OPEN_LIST = 255;

  private final Prototype p;
  private final Account.Loan loan;
  private final LongConsumer work;
  private final Variable[] closing;
  private final int[] code;
  private final boolean[] starts;
  private final boolean[] targets;
  private final Map<Integer, byte[]> known = new HashMap<>();
  private final Deque<Integer> ways = new ArrayDeque<>();
  private byte[] now = {};

  /** The first register of open values for the next instruction; -1 for none. */
  private int open = -1;

  /** The code is refused. */
  static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message, null, false, false);
    }
  }

  private Verifier(Prototype p, Account.Loan loan, LongConsumer work) {
    this.p = p;
    this.loan = loan;
    this.work = work;
    this.code = p.code;
    loan.add(2L * code.length + Long.BYTES * (long) p.variables.length + 4 * MOST_REGISTERS);
    this.closing = p.closing;
    this.starts = new boolean[code.length + 1];
    this.targets = new boolean[code.length + 1];
  }

  static void check(Prototype p, Account.Loan loan, LongConsumer work) {
    long before = loan.bytes();
    Verifier v = new Verifier(p, loan, work);
    v.checkShape();
    v.checkWords();
    v.follow();
    loan.drop(loan.bytes() - before);
    for (Prototype inner : p.inner) {
      for (Capture c : inner.captures) {
        require(c.local() || (c.index() >= 0 && c.index() < p.captures.length), "upvalue");
        require(c.local() || p.captures[c.index()].boxed() == c.boxed(), "kind of upvalue");
      }
      check(inner, loan, work);
    }
  }

  private static void require(boolean is, String what) {
    if (!is) {
      throw new Refusal("bad " + what);
    }
  }

  private void checkShape() {
    require(p.parameters >= 0 && p.parameters < MOST_REGISTERS, "parameters");
    require(p.frameSize >= firstFree() + 1 && p.frameSize <= MOST_REGISTERS, "frame size");
    require(p.captures.length <= MOST_CAPTURES, "number of upvalues");
    require(code.length > 0 && code.length < 1 << 23, "size of code");
    for (Variable v : p.variables) {
      require(isUsable(v.register()), "variable");
      require(v.from() >= 0 && v.from() <= v.to() && v.to() <= code.length, "scope");
    }
  }

  private int firstFree() {
    return p.pcSlot + (p.varargs ? 2 : 1);
  }

  /**
   * Returns whether code may use a register: parameters, and those behind the machine's words. The
   * machine uses the last register.
   */
  private boolean isUsable(int r) {
    return (r >= 1 && r <= p.parameters) || (r >= firstFree() && r < p.frameSize - 1);
  }

  // ---- words ----

  private void checkWords() {
    work.accept(code.length);
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      int op = code[pc] & 255;
      require(op <= Op.CLOSE, "instruction");
      require(pc + Op.width(op) <= code.length, "end of code");
      starts[pc] = true;
      switch (op) {
        case Op.LOAD_NUMBER -> index(code[pc + 1], p.numbers.length);
        case Op.LOAD_STRING, Op.GET_GLOBAL, Op.SET_GLOBAL, Op.GET_FIELD, Op.SET_FIELD, Op.SELF ->
            index(code[pc + 1], p.strings.length);
        case Op.EQ_STRING -> index(code[pc + 2], p.strings.length);
        case Op.CLOSURE -> index(code[pc + 1], p.inner.length);
        default -> {}
      }
    }
    long count = 0;
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      if (Op.jumps(code[pc] & 255)) {
        int to = code[pc + 1];
        require(to >= 0 && to < code.length && starts[to], "jump");
        count += targets[to] ? 0 : 1;
        targets[to] = true;
      }
    }
    require(count * p.frameSize <= MOST_KNOWN, "number of jumps");
  }

  private static void index(int i, int count) {
    require(i >= 0 && i < count, "constant");
  }

  // ---- ways ----

  private void follow() {
    byte[] first = new byte[p.frameSize];
    for (int r = 0; r < first.length; r++) {
      first[r] = isUsable(r) ? VALUE : UNKNOWN;
    }
    if (targets[0]) {
      join(0, first);
    } else {
      walk(0, first.clone());
    }
    while (!ways.isEmpty()) {
      int pc = ways.pop();
      byte[] there = known.get(pc);
      if (there != null) {
        walk(pc, there.clone());
      }
    }
  }

  /** Joins a way at an instruction. The verifier follows the way again if it knows less. */
  private void join(int pc, byte[] registers) {
    byte[] before = known.get(pc);
    if (before == null) {
      loan.add(KNOWN + registers.length);
      known.put(pc, registers.clone());
      ways.push(pc);
      return;
    }
    boolean changed = false;
    for (int r = 0; r < before.length; r++) {
      byte both = before[r] == registers[r] ? before[r] : common(before[r], registers[r]);
      changed |= both != before[r];
      before[r] = both;
    }
    if (changed) {
      ways.push(pc);
    }
  }

  private static byte common(byte a, byte b) {
    return isValue(a) && isValue(b) ? VALUE : UNKNOWN;
  }

  private static boolean isValue(byte kind) {
    return kind == VALUE || kind == TABLE || kind == COUNTS;
  }

  /** Follows the code up to an end, or up to another way. */
  private void walk(int from, byte[] registers) {
    now = registers;
    open = -1;
    int pc = from;
    while (true) {
      work.accept(2 + (closing.length >>> 3));
      int width = Op.width(code[pc] & 255);
      checkClosing(pc, width);
      if (!step(pc)) {
        return;
      }
      pc += width;
      require(pc < code.length, "end of code");
      if (targets[pc]) {
        require(open < 0, "use of open values");
        join(pc, now);
        return;
      }
    }
  }

  /** Checks that variables to close hold no box: an error may close them at any instruction. */
  private void checkClosing(int pc, int width) {
    for (Variable v : closing) {
      if (pc + width > v.from() && pc < v.to()) {
        require(isValue(now[v.register()]), "variable to close");
      }
    }
  }

  /** Checks that no variable covers the state of a loop: debug.setlocal could change it. */
  private void checkHidden(int pc, int a) {
    work.accept(p.variables.length >>> 3);
    for (Variable v : p.variables) {
      boolean covers = v.register() >= a && v.register() < a + 3;
      require(
          !covers || pc >= v.to() || pc < v.from() || v.name().startsWith("("), "state of a cycle");
    }
  }

  private void read(int r) {
    require(isUsable(r) && isValue(now[r]), "register");
  }

  private void read(int first, int count) {
    for (int i = 0; i < count; i++) {
      read(first + i);
    }
  }

  private void write(int r) {
    write(r, VALUE);
  }

  private void write(int r, byte kind) {
    require(isUsable(r), "register");
    now[r] = kind;
  }

  private void write(int first, int count) {
    for (int i = 0; i < count; i++) {
      write(first + i);
    }
  }

  private void box(int r) {
    require(isUsable(r) && now[r] == BOX, "box");
  }

  private void upvalue(int i, boolean boxed) {
    require(i < p.captures.length && p.captures[i].boxed() == boxed, "upvalue");
  }

  /** Marks all registers from one on as possibly written. */
  private void blur(int from) {
    require(from >= firstFree(), "register");
    for (int r = from; r < p.frameSize - 1; r++) {
      now[r] = isValue(now[r]) ? VALUE : UNKNOWN;
    }
  }

  /** Leaves open values from a register on to the next instruction. */
  private void opens(int a) {
    blur(a);
    open = a;
  }

  /** Takes values from a register on, with the open values at their end. */
  private void takeOpen(int from, int available) {
    require(available >= from, "use of open values");
    read(from, available - from);
  }

  private int jump(int pc) {
    int to = code[pc + 1];
    join(to, now);
    return to;
  }

  /** Applies an instruction to the kinds. Returns false if the next instruction is not reached. */
  private boolean step(int pc) {
    int i = code[pc];
    int op = i & 255;
    int a = i >>> 8 & 255;
    int b = i >>> 16 & 255;
    int c = i >>> 24;
    int available = open;
    open = -1;
    boolean takes =
        (op == Op.SET_LIST && c == OPEN_LIST)
            || ((op == Op.CALL || op == Op.TAIL_CALL || op == Op.RETURN) && b == 0);
    require(takes == available >= 0, "use of open values");
    switch (op) {
      case Op.MOVE -> {
        read(b);
        write(a);
      }
      case Op.LOAD_NIL -> write(a, b);
      case Op.LOAD_BOOLEAN, Op.LOAD_INT, Op.LOAD_NUMBER, Op.LOAD_LONG, Op.LOAD_STRING -> write(a);
      case Op.BOX -> {
        read(a);
        write(a, BOX);
      }
      case Op.GET_BOX -> {
        box(b);
        write(a);
      }
      case Op.SET_BOX -> {
        box(a);
        read(b);
      }
      case Op.GET_UPVALUE, Op.GET_GLOBAL -> {
        upvalue(b, false);
        write(a);
      }
      case Op.GET_UPVALUE_BOX -> {
        upvalue(b, true);
        write(a);
      }
      case Op.SET_UPVALUE_BOX -> {
        upvalue(b, true);
        read(a);
      }
      case Op.SET_GLOBAL -> {
        upvalue(b, false);
        read(a);
      }
      case Op.SET_TABLE -> {
        read(a);
        read(b);
        read(c);
      }
      case Op.SET_FIELD -> {
        read(a);
        read(b);
      }
      case Op.SET_INT -> {
        read(a);
        read(c);
      }
      case Op.NEW_TABLE -> write(a, TABLE);
      case Op.SET_LIST -> {
        require(isUsable(a) && now[a] == TABLE && a < b, "list");
        if (c == OPEN_LIST) {
          takeOpen(b, available);
        } else {
          read(b, c);
        }
      }
      case Op.SELF -> {
        read(b);
        write(a + 1);
        write(a);
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
        read(b);
        read(c);
        write(a);
      }
      case Op.ADD_NUMBER,
          Op.SUB_NUMBER,
          Op.MUL_NUMBER,
          Op.MOD_NUMBER,
          Op.POW_NUMBER,
          Op.DIV_NUMBER,
          Op.IDIV_NUMBER -> {
        read(b);
        index(c, p.numbers.length);
        write(a);
      }
      case Op.GET_FIELD, Op.GET_INT, Op.NEGATE, Op.BNOT, Op.NOT, Op.LENGTH -> {
        read(b);
        write(a);
      }
      case Op.CONCAT -> {
        require(b > 0, "concatenation");
        read(a, b);
        write(a, b);
      }
      case Op.JUMP -> {
        int _ = jump(pc);
        return false;
      }
      case Op.TEST, Op.EQ_STRING, Op.EQ_NIL -> {
        read(a);
        int _ = jump(pc);
      }
      case Op.EQ, Op.LT, Op.LE -> {
        read(a);
        read(b);
        int _ = jump(pc);
      }
      case Op.EQ_NUMBER, Op.LT_NUMBER, Op.LE_NUMBER, Op.GT_NUMBER, Op.GE_NUMBER -> {
        read(a);
        index(b, p.numbers.length);
        int _ = jump(pc);
      }
      case Op.CALL -> {
        arguments(a, b, available);
        if (c == 0) {
          opens(a);
        } else {
          write(a, c - 1);
        }
      }
      case Op.TAIL_CALL -> {
        arguments(a, b, available);
        return false;
      }
      case Op.RETURN -> {
        require(a < p.frameSize, "register");
        if (b == 0) {
          takeOpen(a, available);
        } else {
          read(a, b - 1);
        }
        return false;
      }
      case Op.FOR_PREPARE -> {
        read(a, 3);
        write(a, 4);
        int _ = jump(pc);
        Arrays.fill(now, a, a + 3, COUNTS);
      }
      case Op.FOR_LOOP -> {
        require(isUsable(a) && isUsable(a + 2), "register");
        require(now[a] == COUNTS && now[a + 1] == COUNTS && now[a + 2] == COUNTS, "cycle");
        write(a + 3);
        checkHidden(pc, a);
        int _ = jump(pc);
      }
      case Op.TFOR_PREPARE -> {
        read(a + 3);
        int _ = jump(pc);
        return false;
      }
      case Op.TFOR_CALL -> {
        require(b > 0, "cycle");
        read(a, 3);
        write(a + 4, b);
      }
      case Op.TFOR_LOOP -> {
        read(a + 4);
        write(a + 2);
        int _ = jump(pc);
      }
      case Op.VARARG -> {
        require(p.varargs, "varargs");
        if (b == 0) {
          opens(a);
        } else {
          write(a, b - 1);
        }
      }
      case Op.CLOSURE -> closure(a, p.inner[code[pc + 1]]);
      case Op.TBC -> read(a);
      case Op.CLOSE -> require(a < p.frameSize, "register");
      default -> throw new Refusal("bad instruction");
    }
    return true;
  }

  /** Reads a function and its arguments. A call may need one more register. */
  private void arguments(int a, int b, int available) {
    read(a);
    if (b == 0) {
      takeOpen(a + 1, available);
    } else {
      read(a, b);
    }
    blur(Math.max(a + Math.max(b, 1), firstFree()));
    require(a >= firstFree(), "register");
  }

  private void closure(int a, Prototype inner) {
    for (Capture c : inner.captures) {
      if (!c.local()) {
        continue;
      }
      if (c.boxed()) {
        box(c.index());
      } else if (c.index() != a) {
        read(c.index());
      }
    }
    write(a);
  }
}
