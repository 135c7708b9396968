package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.machine.StepCalls.Late;
import dev.gleaner.lua.machine.StepCalls.Never;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The methods that the code of a {@link CompiledBody} calls. Most steps do only the common case of
 * an instruction, and return whether they did. If not, the step has changed nothing, and the
 * interpreter does the instruction. A step with a program counter may call a function or fail. Such
 * a step writes the counter first, for messages.
 */
abstract class Steps extends SharedSteps {
  /** The most nested calls of compiled functions on the Java stack. */
  private static final int DEEPEST = 150;

  private final State s;
  private final Mutator t;
  private final Calls calls;
  private final Metatables meta;
  private final Operators operators;
  private final Tables tables;
  private final Builtins builtins;
  private final Arguments args;

  /** The name __index. */
  private final GlobalRef index;

  /** The calls of compiled functions on the Java stack now. */
  int depth;

  /** The number of results of the last function. */
  private int landed;

  Steps(Parts parts, Calls calls) {
    this.s = parts.state;
    this.t = s.t;
    this.calls = calls;
    this.meta = parts.meta;
    this.operators = parts.operators;
    this.tables = parts.tables;
    this.builtins = parts.builtins;
    this.args = parts.arguments;
    this.index = meta.eventName(Metatables.INDEX);
  }

  // ---- limits ----

  /** Takes the fuel of some instructions. Returns false, and takes none, if there is too little. */
  boolean charge(int instructions) {
    int left = s.fuel - instructions;
    if (left < 0) {
      return false;
    }
    s.fuel = left;
    return true;
  }

  /** Takes fuel as {@link #charge} does, in a body that calls shared steps. */
  boolean chargeFirst(Code code, int instructions) {
    code.work -= instructions;
    return charge(instructions);
  }

  /**
   * Takes fuel at the start of such a body, or at the head of a loop. Returns false, and takes
   * none, if the function has earned a body into which steps are inlined.
   */
  boolean chargeTurn(Code code, int instructions) {
    if (code.work < 0) {
      s.codes.earnsInlining(code);
      return false;
    }
    return chargeFirst(code, instructions);
  }

  /** Exits to the interpreter, and gives back the fuel of instructions that were not done. */
  int interpret(int pc, int notDone) {
    if (notDone > 0) { // else there is too little fuel
      s.codes.misguessed(s.code());
    }
    s.pc = pc;
    s.fuel += notDone;
    return CompiledBody.INTERPRET;
  }

  // ---- loads ----

  void move(int a, int b) {
    t.copy(a, b);
  }

  /** Returns whether the registers of a mask hold no references. */
  boolean holdNoReference(long registers) {
    for (long left = registers; left != 0; left &= left - 1) {
      if (Values.isReference(t.get(Long.numberOfTrailingZeros(left)))) {
        return false;
      }
    }
    return true;
  }

  long get(int a) {
    return t.get(a);
  }

  void value(int a, long value) {
    t.set(a, value);
  }

  @Never
  void integer(int a, long value, int pc) {
    s.pc = pc;
    s.setInteger(a, value);
  }

  void string(int a, GlobalRef text) {
    t.getGlobal(a, text);
  }

  @Never
  void box(int a, int x, int pc) {
    s.pc = pc;
    t.newRecord(x, 1);
    t.store(x, 0, a);
    t.copy(a, x);
  }

  void getBox(int a, int b) {
    t.load(a, b, 0);
  }

  void setBox(int a, int b) {
    t.store(a, 0, b);
  }

  void upvalue(int a, int index) {
    t.loadConstant(a, 0, index);
  }

  @Late
  void boxedUpvalue(int a, int index) {
    t.loadConstant(a, 0, index);
    t.load(a, a, 0);
  }

  @Late
  void setUpvalue(int a, int index, int x) {
    t.loadConstant(x, 0, index);
    t.store(x, 0, a);
  }

  // ---- tables: the slow path gives back the fuel of the instructions behind ----

  @Late
  boolean global(int a, int index, int x, GlobalRef name, int pc, int behind) {
    t.loadConstant(x, 0, index);
    return field(a, x, name, pc, behind);
  }

  @Late
  boolean setGlobal(int a, int index, int x, GlobalRef name, int pc, int behind) {
    t.loadConstant(x, 0, index);
    return setField(x, name, a, pc, behind);
  }

  @Late
  boolean field(int a, int b, GlobalRef name, int pc, int behind) {
    return t.lookUp(a, b, name, 0, index) != Values.ABSENT
        || slowly(Op.GET_FIELD, a, b, 0, name, pc, behind);
  }

  @Late
  boolean self(int a, int b, GlobalRef name, int pc, int behind) {
    t.copy(a + 1, b);
    return t.lookUp(a, a + 1, name, 0, index) != Values.ABSENT
        || meta.ofString(a, a + 1, name)
        || slowly(Op.GET_FIELD, a, a + 1, 0, name, pc, behind);
  }

  @Late
  boolean setField(int a, GlobalRef name, int b, int pc, int behind) {
    return (t.get(b) != Values.UNDEFINED && t.update(a, name, b))
        || slowly(Op.SET_FIELD, a, b, 0, name, pc, behind);
  }

  @Late
  boolean get(int a, int b, int c, int pc, int behind) {
    return getQuickly(a, b, c, pc) || getSlowly(a, b, c, pc, behind);
  }

  /** Returns false, and does nothing, if the access needs metatables. */
  @Late
  boolean getQuickly(int a, int b, int c, int pc) {
    return Metatables.isThere(t.lookUp(a, b, c));
  }

  boolean getSlowly(int a, int b, int c, int pc, int behind) {
    return slowly(Op.GET_TABLE, a, b, c, null, pc, behind);
  }

  @Late
  boolean getInt(int a, int b, int index, int x, int pc, int behind) {
    t.set(x, Values.ofInt(index));
    return get(a, b, x, pc, behind);
  }

  @Late
  boolean set(int a, int b, int c, int pc, int behind) {
    return setQuickly(a, b, c, pc) || setSlowly(a, b, c, pc, behind);
  }

  /** Returns false, and does nothing, if the access needs metatables. */
  @Late
  boolean setQuickly(int a, int b, int c, int pc) {
    s.pc = pc; // the table may grow
    return t.get(c) != Values.UNDEFINED && t.update(a, b, c, 0);
  }

  boolean setSlowly(int a, int b, int c, int pc, int behind) {
    return slowly(Op.SET_TABLE, a, b, c, null, pc, behind);
  }

  @Late
  boolean setInt(int a, int index, int c, int x, int pc, int behind) {
    t.set(x, Values.ofInt(index));
    return set(a, x, c, pc, behind);
  }

  private boolean slowly(
      int op, int a, int b, int c, @Nullable GlobalRef name, int pc, int behind) {
    return sharedDoSlowly(op, a, b, c, name, pc, behind);
  }

  @Never
  boolean doSlowly(int op, int a, int b, int c, @Nullable GlobalRef name, int pc, int behind) {
    s.fuel += behind;
    return does(op, a, b, c, name, pc) && charge(behind);
  }

  /**
   * Does an instruction that may call a metamethod. Returns whether the instruction is done, and
   * the function continues; else the interpreter goes on.
   *
   * @param name the key of a field, else null
   * @param pc the next instruction
   */
  private boolean does(int op, int a, int b, int c, @Nullable GlobalRef name, int pc) {
    Code code = s.code();
    long ret = s.ret;
    int depth = t.frameDepth();
    Coroutine in = calls.protection().current();
    s.pc = pc;
    boolean done =
        switch (op) {
          case Op.GET_FIELD -> calls.getField(a, b, Objects.requireNonNull(name));
          case Op.SET_FIELD -> calls.setField(a, Objects.requireNonNull(name), b);
          case Op.GET_TABLE -> calls.get(a, b, c);
          case Op.SET_TABLE -> calls.set(a, b, c);
          case Op.EQ -> calls.equal(a, b);
          case Op.LT -> calls.less(a, b, false);
          case Op.LE -> calls.less(a, b, true);
          case Op.CONCAT -> calls.concat(a, b);
          case Op.NEGATE, Op.BNOT, Op.LENGTH -> calls.unary(op, a, b);
          default -> operators.compute(op, a, t.get(b), t.get(c)) || calls.arithmetic(op, a, b, c);
        };
    return done || hasRun(code, pc, ret, depth, in);
  }

  /**
   * Runs a metamethod that an instruction has called. Returns as {@link #does} does.
   *
   * @param pc the next instruction, unless the metamethod decides a comparison
   * @param depth the depth of the function's frame
   * @param in the coroutine before the call
   */
  private boolean hasRun(Code code, int pc, long ret, int depth, @Nullable Coroutine in) {
    Code callee = s.codeOrNull();
    if (callee != null // a function of Lua was entered
        && s.pc == 0
        && !s.exit
        && run(callee, s.ret, code, ret) == CompiledBody.RETURNED) {
      s.pc = pc;
      s.shrink(code);
      return true;
    }
    return !s.exit
        && !s.hooked
        && t.frameDepth() == depth
        && calls.protection().current() == in
        && s.codeOrNull() == code;
  }

  @Never
  void table(int a, int fields, int positions, int pc) {
    s.pc = pc;
    s.newTable(a, fields, positions);
  }

  @Never
  void list(Code code, int a, int b, int c, int start, int pc) {
    s.pc = pc;
    int count = c;
    if (c == 255) {
      count = s.top - b;
      s.limits.copies(count);
    }
    tables.setList(a, b, count, start);
    if (c == 255) {
      s.shrink(code);
    }
  }

  // ---- numbers in slots, of a function whose registers are not held ----

  private boolean computed(int a, long v) {
    if (v == Values.ABSENT) {
      return false;
    }
    t.set(a, v);
    return true;
  }

  @Late
  boolean add(int a, int b, int c) {
    return computed(a, Words.add(t.get(b), t.get(c)));
  }

  @Late
  boolean add(int a, int b, long y) {
    return computed(a, Words.add(t.get(b), y));
  }

  @Late
  boolean sub(int a, int b, int c) {
    return computed(a, Words.sub(t.get(b), t.get(c)));
  }

  @Late
  boolean sub(int a, int b, long y) {
    return computed(a, Words.sub(t.get(b), y));
  }

  @Late
  boolean mul(int a, int b, int c) {
    return computed(a, Words.mul(t.get(b), t.get(c)));
  }

  @Late
  boolean mul(int a, int b, long y) {
    return computed(a, Words.mul(t.get(b), y));
  }

  @Late
  boolean div(int a, int b, int c) {
    return computed(a, Words.div(t.get(b), t.get(c)));
  }

  @Late
  boolean div(int a, int b, long y) {
    return computed(a, Words.div(t.get(b), y));
  }

  @Late
  boolean mod(int a, int b, int c) {
    return computed(a, Words.mod(t.get(b), t.get(c)));
  }

  @Late
  boolean mod(int a, int b, long y) {
    return computed(a, Words.mod(t.get(b), y));
  }

  @Late
  boolean other(int a, int b, int c, int op) {
    return computed(a, Words.other(t.get(b), t.get(c), op));
  }

  @Late
  boolean other(int a, int b, long y, int op) {
    return computed(a, Words.other(t.get(b), y, op));
  }

  /** Computes the cases that the steps above leave. Returns false if another function runs now. */
  @Never
  boolean arithmetic(int op, int a, int b, int c, int pc, int behind) {
    s.fuel += behind;
    return does(op, a, b, c, null, pc) && charge(behind);
  }

  @Late
  boolean negate(int a, int b) {
    return computed(a, Words.negate(t.get(b)));
  }

  @Late
  int less(int a, int b) {
    return Words.less(t.get(a), t.get(b));
  }

  @Late
  int lessOrEqual(int a, int b) {
    return Words.lessOrEqual(t.get(a), t.get(b));
  }

  /** Prepares a loop as {@link Words#times} says, and writes the loop's registers. */
  @Late
  int prepare(int a) {
    int times = Words.times(t.get(a), t.get(a + 1), t.get(a + 2));
    if (times >= 0) {
      t.set(a + 1, Values.ofInt(times));
      t.copy(a + 3, a);
    }
    return times;
  }

  /** Does a turn as {@link Words#turns} says, and writes the loop's registers. */
  @Late
  int turn(int a) {
    long x = t.get(a);
    long left = t.get(a + 1);
    long step = t.get(a + 2);
    if (!Values.isInt(x) || !Values.isInt(left) || !Values.isInt(step)) {
      return -1;
    }
    int times = Values.toInt(left);
    if (times <= 0) {
      return 0;
    }
    long next = (long) Values.toInt(x) + Values.toInt(step);
    if (next != (int) next) {
      return -1;
    }
    t.set(a + 1, Values.ofInt(times - 1));
    t.set(a, Values.ofInt((int) next));
    t.set(a + 3, Values.ofInt((int) next));
    return 1;
  }

  // ---- operators ----

  @Never
  boolean unary(int op, int a, int b, int pc) {
    return does(op, a, b, 0, null, pc);
  }

  @Never
  boolean concat(int a, int count, int pc) {
    return does(Op.CONCAT, a, count, 0, null, pc);
  }

  // ---- tests: 0 false, 1 true, negative for the interpreter ----

  boolean isTrue(int a) {
    return Words.isTrue(t.get(a));
  }

  /** Compares a number with a constant. Negative where {@link #compare} must do that. */
  int test(int op, int a, long y) {
    long x = t.get(a);
    return switch (op) {
      case Op.LT_NUMBER -> Words.less(x, y);
      case Op.LE_NUMBER -> Words.lessOrEqual(x, y);
      case Op.GT_NUMBER -> Words.less(y, x);
      default -> Words.lessOrEqual(y, x);
    };
  }

  boolean isNil(int a) {
    return t.get(a) == Values.UNDEFINED;
  }

  @Late
  int equal(int a, int b) {
    long x = t.get(a);
    long y = t.get(b);
    if (Values.isInt(x) && Values.isInt(y)) {
      return x == y ? 1 : 0;
    }
    if (Values.isReference(x) && Values.isReference(y)) {
      return x == y ? 1 : equalElements(a, b);
    }
    if (Values.isReference(x) || Values.isReference(y)) {
      return Values.isDouble(x) || Values.isDouble(y) ? -1 : 0;
    }
    return Words.equal(x, y) ? 1 : 0;
  }

  /**
   * Does the comparisons that the steps above leave: an instruction of op, a and b. Returns a
   * negative number if another function runs now.
   */
  @Never
  int compare(int op, int a, int b, int pc) {
    if (!does(op, a, b, 0, null, pc)) {
      return -1;
    }
    boolean jumps = s.pc != pc + 1;
    return jumps == (s.code().code[pc - 1] >>> 24 != 0) ? 1 : 0;
  }

  private int equalElements(int a, int b) {
    if (operators.isString(a)) {
      return operators.isString(b) && operators.sameText(a, b) ? 1 : 0;
    }
    int type = Types.of(t, a);
    boolean asked = type == Types.TABLE || type == Types.USERDATA || type == Types.NUMBER;
    return asked && type == Types.of(t, b) ? -1 : 0;
  }

  @Late
  int equalNumber(int a, long y) {
    long x = t.get(a);
    if (Values.isReference(x) && Values.isDouble(y)) {
      return -1; // the reference may be an integer of 64 bits
    }
    return Words.equal(x, y) ? 1 : 0;
  }

  @Late
  boolean equalString(int a, GlobalRef text, int x) {
    if (!Values.isReference(t.get(a))) {
      return false;
    }
    t.getGlobal(x, text);
    return t.same(a, x) || operators.equalStrings(a, x);
  }

  // ---- loops ----

  /**
   * Does a turn if the iterator is that of pairs or ipairs, and the value a table. Returns whether
   * it did.
   */
  @Never
  boolean next(int a, int wanted, int pc) {
    int number = t.functionCode(a);
    boolean isIndex = number == s.nextIndexCode;
    if (!(isIndex || number == s.nextCode) || !tables.isTable(a + 1)) {
      return false;
    }
    s.pc = pc;
    if (isIndex) {
      return nextIndex(a, wanted);
    }
    boolean _ = tables.next(a + 4, a + 1, a + 2, wanted);
    return true;
  }

  /** Loads the next index and its value. Returns false where the iterator must be called. */
  private boolean nextIndex(int a, int wanted) {
    long i = t.get(a + 2);
    if (wanted != 2
        || !Values.isInt(i)
        || Values.toInt(i) == Integer.MAX_VALUE
        || calls.protection().isDeep()) { // the call fails
      return false;
    }
    t.set(a + 4, Values.ofInt(Values.toInt(i) + 1));
    return Metatables.isThere(t.lookUp(a + 5, a + 1, a + 4));
  }

  @Late
  boolean goesOn(int a) {
    if (t.get(a + 4) == Values.UNDEFINED) {
      return false;
    }
    t.copy(a + 2, a + 4);
    return true;
  }

  // ---- functions ----

  @Never
  void varargs(Code code, int a, int wanted, int pc) {
    s.pc = pc;
    calls.varargs(code, a, wanted);
  }

  @Never
  void closure(Code code, int a, int inner, int pc) {
    s.pc = pc;
    calls.closure(code, a, inner);
  }

  private int opened(int first) {
    int n = s.top - first;
    s.limits.copies(n);
    return n;
  }

  /** Calls a function. Returns RETURNED if the calling function continues. */
  int call(Code code, int a, int b, int c, int pc, long ret) {
    s.pc = pc;
    int arguments = b == 0 ? opened(a + 1) : b - 1;
    int number = t.functionCode(a);
    Code callee = number < 0 ? null : s.codes.compiled[number];
    t.set(code.pcSlot, Return.save(pc, ret));
    if (callee == null) {
      int end = callOther(code, number, a, arguments, c - 1);
      return end == CompiledBody.RETURNED ? unlessHooked(code, ret) : end;
    }
    if (callee.varargs || calls.isDeepest(t.frameDepth())) {
      calls.enter(callee, a, arguments);
    } else {
      t.enterMoving(callee.frameSize, a, Math.min(arguments, callee.parameters) + 1);
    }
    int end = run(callee, Return.of(Return.CALL, a, c - 1), code, ret);
    if (end == CompiledBody.RETURNED) {
      if (c == 0) {
        s.top = a + landed;
      } else if (b == 0) { // only an open call makes the frame larger
        s.shrink(code);
      }
    }
    return end;
  }

  /**
   * Runs a function of Lua whose frame was entered. Returns RETURNED if the calling function goes
   * on; its return word is the last argument.
   */
  private int run(Code callee, long r, Code code, long ret) {
    s.ret = r;
    s.setCode(callee);
    s.pc = 0;
    CompiledBody body = (CompiledBody) callee.body;
    if (body == null || depth >= DEEPEST || s.hooked) {
      return CompiledBody.CHANGED;
    }
    depth++;
    int end = body.run(this, callee, 0, r, true);
    while (end == CompiledBody.TAIL) {
      Code next = s.code();
      body = (CompiledBody) next.body;
      end = body == null ? CompiledBody.CHANGED : body.run(this, next, 0, s.ret, true);
    }
    depth--;
    if (end == CompiledBody.RETURNED) {
      s.setCode(code);
      s.ret = ret;
    }
    return end;
  }

  /** Calls the iterator of a loop, which nests. Returns RETURNED if the loop goes on. */
  int iterate(Code code, int a, int wanted, int pc, long ret) {
    s.pc = pc;
    t.set(code.pcSlot, Return.save(pc, ret));
    long r = Return.of(Return.NESTED, a + 4, wanted);
    int number = t.functionCode(a);
    Code callee = number < 0 ? null : s.codes.compiled[number];
    if (callee != null) {
      calls.enterIterator(callee, a);
      return run(callee, r, code, ret);
    }
    Builtin builtin = number < 0 || s.hooked ? null : builtins.get(number);
    if (builtin == null) {
      calls.invokeIterator(number, a, r);
      return CompiledBody.CHANGED;
    }
    int n = calls.iterator(builtin, a);
    if (n == Arguments.CALLS) {
      calls.invokePrepared(r);
      return CompiledBody.CHANGED;
    }
    calls.protection().unnest();
    int _ = t.leave(args.firstResult(), n, a + 4, wanted);
    return unlessHooked(code, ret);
  }

  /** Ends a call of the library, which may have set a hook: then the interpreter goes on. */
  private int unlessHooked(Code code, long ret) {
    if (!s.hooked) {
      return CompiledBody.RETURNED;
    }
    s.setCode(code);
    s.ret = ret;
    return CompiledBody.CHANGED;
  }

  private void settle(Code code, int slot, int wanted) {
    if (wanted < 0) {
      s.top = slot + landed;
    } else {
      s.shrink(code);
    }
  }

  void checkTbc(Code code, int a) {
    calls.checkTbc(code, a);
  }

  boolean close(int from, int top) {
    return calls.close(from, top);
  }

  int number(int a) {
    return t.functionCode(a);
  }

  void enter(Code callee, int a, int arguments) {
    calls.enter(callee, a, arguments);
  }

  int callOther(Code code, int number, int a, int arguments, int wanted) {
    Builtin builtin = number < 0 ? null : builtins.get(number);
    if (builtin == null) {
      calls.invoke(a, arguments, Return.of(Return.CALL, a, wanted));
      return CompiledBody.CHANGED;
    }
    int n = calls.builtin(builtin, a, arguments);
    if (n == Arguments.CALLS) {
      calls.invokePrepared(Return.of(Return.CALL, a, wanted));
      return CompiledBody.CHANGED;
    }
    landed = t.leave(args.firstResult(), n, a, wanted);
    settle(code, a, wanted);
    return CompiledBody.RETURNED;
  }

  @Never
  int tailCall(int a, int b, int pc, long ret) {
    s.pc = pc;
    int arguments = b == 0 ? opened(a + 1) : b - 1;
    int number = t.functionCode(a);
    Code callee = number < 0 ? null : s.codes.compiled[number];
    calls.tailCall(a, arguments, ret);
    return callee == null ? CompiledBody.CHANGED : CompiledBody.TAIL;
  }

  @Late
  int leave(int a, int b, int pc, long ret, boolean direct) {
    s.pc = pc;
    int n = b == 0 ? opened(a) : b - 1;
    if (!Return.isOfInstruction(ret)) {
      calls.finish(a, n, ret);
      return CompiledBody.CHANGED;
    }
    calls.protection().unnest(ret);
    int wanted = Return.wanted(ret);
    int slot = Return.slot(ret);
    landed = t.leave(a, n, slot, wanted);
    if (direct) {
      return CompiledBody.RETURNED;
    }
    s.loadFrame();
    settle(s.code(), slot, wanted);
    return CompiledBody.CHANGED;
  }
}
