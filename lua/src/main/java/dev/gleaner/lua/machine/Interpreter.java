package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import org.jspecify.annotations.Nullable;

/**
 * Runs the code of Lua functions: one loop over one switch. A call of a Lua function enters a frame
 * of the heap, and the same loop continues. So calls of guests take no Java stack. {@link Calls},
 * {@link Metatables} and {@link Operators} do the rest of an instruction: metamethods, errors,
 * coroutines.
 */
final class Interpreter implements Calls.Loop {
  private final State s;
  private final Calls calls;
  private final Mutator t;
  private final Metatables meta;
  private final Operators operators;
  private final Tables tables;
  private final Builtins builtins;
  private final Arguments args;
  private final Steps steps;
  private final GlobalRef index;

  Interpreter(Parts parts, Calls calls) {
    this.s = parts.state;
    this.calls = calls;
    this.t = s.t;
    this.meta = parts.meta;
    this.operators = parts.operators;
    this.tables = parts.tables;
    this.builtins = parts.builtins;
    this.args = parts.arguments;
    this.steps = new Steps(parts, calls);
    this.index = meta.eventName(Metatables.INDEX);
  }

  @Override
  public void abandon() {
    steps.depth = 0;
  }

  @Override
  public void run(int first, int arguments, long ret) {
    boolean begun = false;
    int depth = steps.depth;
    while (true) {
      try {
        if (!begun) {
          begun = true;
          calls.invoke(first, arguments, ret);
        }
        cycle();
        return;
      } catch (RuntimeException e) {
        steps.depth = depth;
        calls.caught(e); // throws again if no frame of this run catches the error
      }
    }
  }

  /** Returns the body of a hot function; null if there is none, and the function is cold again. */
  private @Nullable CompiledBody body(Code function) {
    function.heat = -1;
    CompiledBody body = (CompiledBody) function.body;
    if (body == null) {
      if (function.hadBody) {
        function.hadBody = false; // the function must become hot again
        function.heat = s.codes.heat;
        return null;
      }
      s.codes.giveBody(function, s.limits.steps(), BodyCompiler::compile);
      body = (CompiledBody) function.body;
    }
    if (body != null && !body.used) {
      body.used = true;
    }
    return body;
  }

  private static boolean isTrue(long v) {
    return v != Values.UNDEFINED && v != Values.FALSE;
  }

  @SuppressWarnings({"FallThrough", "fallthrough"})
  private void cycle() {
    final Mutator t = this.t;
    final State s = this.s;
    final GlobalRef index = this.index;
    boolean interpret = false;
    while (true) {
      if (s.exit) {
        s.exit = false;
        if (calls.hosts().begin()) {
          continue;
        }
        return;
      }
      Code function = s.code();
      if (s.pc == 0 && function.heat >= 0) { // the call was no instruction of this loop
        function.heat--;
      }
      if (function.heat < 0 && !interpret && !s.hooked) {
        CompiledBody body = body(function);
        if (body != null && body.entries[s.pc]) {
          interpret = body.run(steps, function, s.pc, s.ret, false) == CompiledBody.INTERPRET;
          continue;
        }
      }
      interpret = false;
      int[] code = function.code;
      long[] numbers = function.numbers;
      GlobalRef[] strings = function.strings;
      int pc = s.pc;
      long ret = s.ret;
      same:
      while (true) {
        int i = code[pc++];
        s.pc = pc;
        if (--s.fuel < 0) {
          s.limits.refuel();
        }
        int a = i >>> 8 & 255;
        switch (i & 255) {
          case Op.MOVE -> t.copy(a, i >>> 16 & 255);
          case Op.LOAD_NIL -> {
            for (int k = i >>> 16 & 255; k > 0; k--) {
              t.set(a++, Values.UNDEFINED);
            }
          }
          case Op.LOAD_BOOLEAN -> t.set(a, (i >>> 16 & 255) != 0 ? Values.TRUE : Values.FALSE);
          case Op.LOAD_INT -> t.set(a, Values.ofInt(i >> 16));
          case Op.LOAD_NUMBER -> t.set(a, numbers[code[pc++]]);
          case Op.LOAD_LONG -> {
            s.setInteger(a, (long) code[pc] << 32 | (code[pc + 1] & 0xFFFF_FFFFL));
            pc += 2;
          }
          case Op.LOAD_STRING -> t.getGlobal(a, strings[code[pc++]]);
          case Op.BOX -> {
            int x = function.frameSize - 1;
            t.newRecord(x, 1);
            t.store(x, 0, a);
            t.copy(a, x);
          }
          case Op.GET_BOX -> t.load(a, i >>> 16 & 255, 0);
          case Op.SET_BOX -> t.store(a, 0, i >>> 16 & 255);
          case Op.GET_UPVALUE -> t.loadConstant(a, 0, (i >>> 16 & 255) + 1);
          case Op.GET_UPVALUE_BOX -> {
            t.loadConstant(a, 0, (i >>> 16 & 255) + 1);
            t.load(a, a, 0);
          }
          case Op.SET_UPVALUE_BOX -> {
            int x = function.frameSize - 1;
            t.loadConstant(x, 0, (i >>> 16 & 255) + 1);
            t.store(x, 0, a);
          }
          case Op.GET_GLOBAL -> {
            int x = function.frameSize - 1;
            t.loadConstant(x, 0, (i >>> 16 & 255) + 1);
            if (t.lookUp(a, x, strings[code[pc++]], 0, index) == Values.ABSENT) {
              s.pc = pc;
              if (!calls.getField(a, x, strings[code[pc - 1]])) {
                break same;
              }
            }
          }
          case Op.SET_GLOBAL -> {
            int x = function.frameSize - 1;
            t.loadConstant(x, 0, (i >>> 16 & 255) + 1);
            pc++;
            if (t.get(a) == Values.UNDEFINED || !t.update(x, strings[code[pc - 1]], a)) {
              s.pc = pc;
              if (!calls.setField(x, strings[code[pc - 1]], a)) {
                break same;
              }
            }
          }
          case Op.GET_TABLE -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (!Metatables.isThere(t.lookUp(a, b, c))) {
              if (!calls.get(a, b, c)) {
                break same;
              }
            }
          }
          case Op.GET_FIELD -> {
            int b = i >>> 16 & 255;
            if (t.lookUp(a, b, strings[code[pc++]], 0, index) == Values.ABSENT) {
              s.pc = pc;
              if (!calls.getField(a, b, strings[code[pc - 1]])) {
                break same;
              }
            }
          }
          case Op.GET_INT -> {
            int b = i >>> 16 & 255;
            int x = function.frameSize - 1;
            t.set(x, Values.ofInt(i >>> 24));
            if (!Metatables.isThere(t.lookUp(a, b, x))) {
              if (!calls.get(a, b, x)) {
                break same;
              }
            }
          }
          case Op.SET_TABLE -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (t.get(c) == Values.UNDEFINED || !t.update(a, b, c, 0)) {
              if (!calls.set(a, b, c)) {
                break same;
              }
            }
          }
          case Op.SET_FIELD -> {
            int b = i >>> 16 & 255;
            pc++;
            if (t.get(b) == Values.UNDEFINED || !t.update(a, strings[code[pc - 1]], b)) {
              s.pc = pc;
              if (!calls.setField(a, strings[code[pc - 1]], b)) {
                break same;
              }
            }
          }
          case Op.SET_INT -> {
            int c = i >>> 24;
            int x = function.frameSize - 1;
            t.set(x, Values.ofInt(i >>> 16 & 255));
            if (t.get(c) == Values.UNDEFINED || !t.update(a, x, c, 0)) {
              if (!calls.set(a, x, c)) {
                break same;
              }
            }
          }
          case Op.NEW_TABLE -> {
            s.newTable(a, i >>> 16 & 255, code[pc++]);
          }
          case Op.SET_LIST -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            int count = c == 255 ? s.top - b : c;
            if (c == 255) {
              s.limits.copies(count);
            }
            tables.setList(a, b, count, code[pc++]);
            if (c == 255) {
              s.shrink(function);
            }
          }
          case Op.SELF -> {
            int b = i >>> 16 & 255;
            t.copy(a + 1, b);
            GlobalRef name = strings[code[pc++]];
            if (t.lookUp(a, a + 1, name, 0, index) == Values.ABSENT
                && !meta.ofString(a, a + 1, name)) {
              s.pc = pc;
              if (!calls.getField(a, a + 1, name)) {
                break same;
              }
            }
          }
          case Op.ADD -> {
            long x = t.get(i >>> 16 & 255);
            long y = t.get(i >>> 24);
            if (Values.isInt(x) && Values.isInt(y)) {
              s.setInteger(a, (long) Values.toInt(x) + Values.toInt(y));
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              t.set(a, Values.ofDouble(Values.toDouble(x) + Values.toDouble(y)));
            } else {
              if (!calls.arithmetic(Op.ADD, a, i >>> 16 & 255, i >>> 24)) {
                break same;
              }
            }
          }
          case Op.SUB -> {
            long x = t.get(i >>> 16 & 255);
            long y = t.get(i >>> 24);
            if (Values.isInt(x) && Values.isInt(y)) {
              s.setInteger(a, (long) Values.toInt(x) - Values.toInt(y));
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              t.set(a, Values.ofDouble(Values.toDouble(x) - Values.toDouble(y)));
            } else {
              if (!calls.arithmetic(Op.SUB, a, i >>> 16 & 255, i >>> 24)) {
                break same;
              }
            }
          }
          case Op.MUL -> {
            long x = t.get(i >>> 16 & 255);
            long y = t.get(i >>> 24);
            if (Values.isInt(x) && Values.isInt(y)) {
              s.setInteger(a, (long) Values.toInt(x) * Values.toInt(y));
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              t.set(a, Values.ofDouble(Values.toDouble(x) * Values.toDouble(y)));
            } else {
              if (!calls.arithmetic(Op.MUL, a, i >>> 16 & 255, i >>> 24)) {
                break same;
              }
            }
          }
          case Op.MOD, Op.POW, Op.DIV, Op.IDIV, Op.BAND, Op.BOR, Op.BXOR, Op.SHL, Op.SHR -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (!operators.compute(i & 255, a, t.get(b), t.get(c))) {
              if (!calls.arithmetic(i & 255, a, b, c)) {
                break same;
              }
            }
          }
          case Op.ADD_NUMBER -> {
            long x = t.get(i >>> 16 & 255);
            long y = numbers[i >>> 24];
            if (Values.isInt(x) && Values.isInt(y)) {
              s.setInteger(a, (long) Values.toInt(x) + Values.toInt(y));
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              t.set(a, Values.ofDouble(Values.toDouble(x) + Values.toDouble(y)));
            } else {
              t.set(function.frameSize - 1, y);
              if (!calls.arithmetic(Op.ADD, a, i >>> 16 & 255, function.frameSize - 1)) {
                break same;
              }
            }
          }
          case Op.SUB_NUMBER -> {
            long x = t.get(i >>> 16 & 255);
            long y = numbers[i >>> 24];
            if (Values.isInt(x) && Values.isInt(y)) {
              s.setInteger(a, (long) Values.toInt(x) - Values.toInt(y));
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              t.set(a, Values.ofDouble(Values.toDouble(x) - Values.toDouble(y)));
            } else {
              t.set(function.frameSize - 1, y);
              if (!calls.arithmetic(Op.SUB, a, i >>> 16 & 255, function.frameSize - 1)) {
                break same;
              }
            }
          }
          case Op.MUL_NUMBER, Op.MOD_NUMBER, Op.POW_NUMBER, Op.DIV_NUMBER, Op.IDIV_NUMBER -> {
            int b = i >>> 16 & 255;
            int op = (i & 255) - Op.ADD_NUMBER + Op.ADD;
            if (!operators.compute(op, a, t.get(b), numbers[i >>> 24])) {
              t.set(function.frameSize - 1, numbers[i >>> 24]);
              if (!calls.arithmetic(op, a, b, function.frameSize - 1)) {
                break same;
              }
            }
          }
          case Op.NEGATE -> {
            long x = t.get(i >>> 16 & 255);
            if (Values.isInt(x)) {
              s.setInteger(a, -(long) Values.toInt(x));
            } else if (Values.isDouble(x)) {
              t.set(a, Values.ofDouble(-Values.toDouble(x)));
            } else {
              if (!calls.unary(Op.NEGATE, a, i >>> 16 & 255)) {
                break same;
              }
            }
          }
          case Op.BNOT, Op.LENGTH -> {
            if (!calls.unary(i & 255, a, i >>> 16 & 255)) {
              break same;
            }
          }
          case Op.NOT -> t.set(a, isTrue(t.get(i >>> 16 & 255)) ? Values.FALSE : Values.TRUE);
          case Op.CONCAT -> {
            if (!calls.concat(a, i >>> 16 & 255)) {
              break same;
            }
          }
          case Op.JUMP -> {
            int to = code[pc];
            if (to < pc && --function.heat < 0) {
              s.pc = to;
              break same;
            }
            pc = to;
          }
          case Op.TEST -> pc = isTrue(t.get(a)) == (i >>> 24 != 0) ? code[pc] : pc + 1;
          case Op.EQ -> {
            long x = t.get(a);
            int b = i >>> 16 & 255;
            long y = t.get(b);
            if (Values.isInt(x) && Values.isInt(y)) {
              pc = x == y == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if ((!Values.isReference(x) && !Values.isDouble(x))
                || (!Values.isReference(y) && !Values.isDouble(y))
                || (Values.isDouble(x) && Values.isDouble(y))) {
              boolean equal = Words.equal(x, y);
              pc = equal == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if (Values.isReference(x) && Values.isReference(y) && t.same(a, b)) {
              pc = i >>> 24 != 0 ? code[pc] : pc + 1;
            } else {
              if (!calls.equal(a, b)) {
                break same;
              }
              pc = s.pc;
            }
          }
          case Op.LT -> {
            long x = t.get(a);
            int b = i >>> 16 & 255;
            long y = t.get(b);
            if (Values.isInt(x) && Values.isInt(y)) {
              pc = Values.toInt(x) < Values.toInt(y) == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              boolean less = Values.toDouble(x) < Values.toDouble(y);
              pc = less == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else {
              if (!calls.less(a, b, false)) {
                break same;
              }
              pc = s.pc;
            }
          }
          case Op.LE -> {
            long x = t.get(a);
            int b = i >>> 16 & 255;
            long y = t.get(b);
            if (Values.isInt(x) && Values.isInt(y)) {
              pc = Values.toInt(x) <= Values.toInt(y) == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              boolean less = Values.toDouble(x) <= Values.toDouble(y);
              pc = less == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else {
              if (!calls.less(a, b, true)) {
                break same;
              }
              pc = s.pc;
            }
          }
          case Op.EQ_NUMBER -> {
            long x = t.get(a);
            long y = numbers[i >>> 16 & 255];
            boolean equal;
            if (Values.isReference(x) && Values.isDouble(y)) { // x may be a long integer
              t.set(function.frameSize - 1, y);
              equal = operators.rawEqual(a, function.frameSize - 1);
            } else {
              equal = Words.equal(x, y);
            }
            pc = equal == (i >>> 24 != 0) ? code[pc] : pc + 1;
          }
          case Op.LT_NUMBER, Op.LE_NUMBER, Op.GT_NUMBER, Op.GE_NUMBER -> {
            long x = t.get(a);
            long y = numbers[i >>> 16 & 255];
            if (Values.isInt(x) && Values.isInt(y)) {
              boolean is = Operators.test(i & 255, Values.toInt(x), Values.toInt(y));
              pc = is == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if (Values.isDouble(x) && Values.isDouble(y)) {
              boolean is = Operators.test(i & 255, Values.toDouble(x), Values.toDouble(y));
              pc = is == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else {
              int c = function.frameSize - 1;
              t.set(c, y);
              boolean reversed = (i & 255) >= Op.GT_NUMBER;
              boolean orEqual = (i & 255) == Op.LE_NUMBER || (i & 255) == Op.GE_NUMBER;
              if (!calls.less(reversed ? c : a, reversed ? a : c, orEqual)) {
                break same;
              }
              pc = s.pc;
            }
          }
          case Op.EQ_STRING -> {
            boolean equal = false;
            if (Values.isReference(t.get(a))) {
              int x = function.frameSize - 1;
              t.getGlobal(x, strings[code[pc + 1]]);
              equal = t.same(a, x) || operators.equalStrings(a, x);
            }
            pc = equal == (i >>> 24 != 0) ? code[pc] : pc + 2;
          }
          case Op.EQ_NIL ->
              pc = t.get(a) == Values.UNDEFINED == (i >>> 24 != 0) ? code[pc] : pc + 1;
          case Op.CALL -> {
            int b = i >>> 16 & 255;
            int arguments = b - 1;
            if (b == 0) {
              arguments = s.top - a - 1;
              s.limits.copies(arguments);
            }
            int number = t.functionCode(a);
            Code callee = number < 0 ? null : s.codes.compiled[number];
            t.set(function.pcSlot, Return.save(pc, ret));
            if (callee != null) {
              calls.enter(callee, a, arguments);
              ret = Return.of(Return.CALL, a, (i >>> 24) - 1);
              s.ret = ret;
              function = callee;
              s.setCode(callee);
              code = callee.code;
              numbers = callee.numbers;
              strings = callee.strings;
              pc = 0;
              if (--callee.heat < 0) {
                s.pc = 0;
                break same;
              }
            } else {
              Builtin builtin = number < 0 ? null : builtins.get(number);
              if (builtin != null) {
                int c = (i >>> 24) - 1;
                int n = calls.builtin(builtin, a, arguments);
                if (n == Arguments.CALLS) {
                  calls.invokePrepared(Return.of(Return.CALL, a, c));
                  break same;
                }
                n = t.leave(args.firstResult(), n, a, c);
                s.top = a + n;
                if (c >= 0) {
                  s.shrink(function);
                }
              } else {
                calls.invoke(a, arguments, Return.of(Return.CALL, a, (i >>> 24) - 1));
                break same;
              }
            }
          }
          case Op.TAIL_CALL -> {
            int b = i >>> 16 & 255;
            int arguments = b - 1;
            if (b == 0) {
              arguments = s.top - a - 1;
              s.limits.copies(arguments);
            }
            calls.tailCall(a, arguments, ret);
            break same;
          }
          case Op.RETURN -> {
            int b = i >>> 16 & 255;
            int n = b - 1;
            if (b == 0) {
              n = s.top - a;
              s.limits.copies(n);
            }
            if (i >>> 24 != 0) {
              if (calls.close(0, a + n)) {
                break same;
              }
            }
            if (Return.isOfInstruction(ret)) {
              calls.protection().unnest(ret);
              int wanted = Return.wanted(ret);
              int slot = Return.slot(ret);
              n = t.leave(a, n, slot, wanted);
              function = s.codeOfFrame();
              s.setCode(function);
              long saved = t.get(function.pcSlot);
              pc = Return.pc(saved);
              ret = Return.of(saved);
              s.ret = ret;
              code = function.code;
              numbers = function.numbers;
              strings = function.strings;
              if (wanted < 0) {
                s.top = slot + n;
              } else {
                s.shrink(function);
              }
              if (function.heat < 0) {
                s.pc = pc;
                break same;
              }
            } else {
              calls.finish(a, n, ret);
              break same;
            }
          }
          case Op.FOR_PREPARE -> {
            long x = t.get(a);
            long y = t.get(a + 1);
            long z = t.get(a + 2);
            boolean runs;
            if (Values.isInt(x) && Values.isInt(y) && Values.isInt(z) && Values.toInt(z) != 0) {
              int step = Values.toInt(z);
              long range = (long) Values.toInt(y) - Values.toInt(x);
              runs = step > 0 ? range >= 0 : range <= 0;
              if (runs) {
                // The number of remaining turns replaces the limit.
                s.setInteger(a + 1, range / step);
                t.set(a + 3, x);
              }
            } else {
              runs = operators.prepareFor(a);
            }
            pc = runs ? pc + 1 : code[pc];
          }
          case Op.FOR_LOOP -> {
            long x = t.get(a);
            long left = t.get(a + 1);
            if (Values.isInt(x) && Values.isInt(left)) {
              int times = Values.toInt(left);
              if (times > 0) {
                t.set(a + 1, Values.ofInt(times - 1));
                long step = t.get(a + 2);
                long next = (long) Values.toInt(x) + (Values.isInt(step) ? Values.toInt(step) : 0);
                if (Values.isInt(step) && next == (int) next) {
                  t.set(a, Values.ofInt((int) next));
                  t.set(a + 3, Values.ofInt((int) next));
                } else {
                  operators.forStep(a);
                }
                pc = code[pc];
                if (--function.heat < 0) {
                  s.pc = pc;
                  break same;
                }
              } else {
                pc++;
              }
            } else {
              pc = operators.forNext(a) ? code[pc] : pc + 1;
            }
          }
          case Op.TFOR_PREPARE -> {
            if (t.get(a + 3) != Values.UNDEFINED) {
              calls.checkTbc(function, a + 3);
            }
            pc = code[pc];
          }
          case Op.TFOR_CALL -> {
            int b = i >>> 16 & 255;
            int number = t.functionCode(a);
            if (number == s.nextCode && tables.isTable(a + 1)) {
              tables.next(a + 4, a + 1, a + 2, b);
            } else {
              s.saveFrame();
              calls.invokeIterator(number, a, Return.of(Return.NESTED, a + 4, b));
              break same;
            }
          }
          case Op.TFOR_LOOP -> {
            if (t.get(a + 4) != Values.UNDEFINED) {
              t.copy(a + 2, a + 4);
              pc = code[pc];
              if (--function.heat < 0) {
                s.pc = pc;
                break same;
              }
            } else {
              pc++;
            }
          }
          case Op.VARARG -> {
            int b = (i >>> 16 & 255) - 1;
            calls.varargs(function, a, b);
          }
          case Op.CLOSURE -> {
            calls.closure(function, a, code[pc++]);
          }
          case Op.TBC -> {
            calls.checkTbc(function, a);
          }
          case Op.CLOSE -> {
            if (calls.close(a, function.frameSize)) {
              break same;
            }
          }
          default -> throw new IllegalStateException("instruction " + (i & 255));
        }
      }
    }
  }
}
