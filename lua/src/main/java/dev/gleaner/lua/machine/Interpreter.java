package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import org.jspecify.annotations.Nullable;

/**
 * Runs the code of Lua functions: one loop over one switch. A call of a Lua function enters a frame
 * of the heap, and the same loop continues. So calls of guests take no Java stack.
 *
 * <p>The loop only decides what comes next: {@linkplain SharedSteps shared steps} do the work of
 * the instructions. So the JVM's compiler is done with the loop in some 50 ms, and again so soon
 * when the program comes to other instructions.
 */
final class Interpreter implements Calls.Loop {
  private final State s;
  private final Calls calls;
  private final Operators operators;
  private final Steps steps;

  Interpreter(Parts parts, Calls calls) {
    this.s = parts.state;
    this.calls = calls;
    this.operators = parts.operators;
    this.steps = SharedStepsClass.make(parts, calls);
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
      function.inlines |= BodyCompiler.holdsNumbers(function); // which takes few steps
      s.codes.giveBody(function, s.limits.steps(), BodyCompiler::compile);
      body = (CompiledBody) function.body;
    }
    if (body != null && !body.used) {
      body.used = true;
    }
    return body;
  }

  /** Computes with a number constant, as {@link SharedSteps#sharedArithmetic} does. */
  private boolean computes(Code function, int i, long y, int pc) {
    int x = function.frameSize - 1;
    steps.sharedValue(x, y);
    int op = (i & 255) - Op.ADD_NUMBER + Op.ADD;
    return steps.sharedArithmetic(op, i >>> 8 & 255, i >>> 16 & 255, x, pc, 0);
  }

  private void cycle() {
    final State s = this.s;
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
          case Op.MOVE -> steps.sharedMove(a, i >>> 16 & 255);
          case Op.LOAD_NIL -> {
            for (int k = i >>> 16 & 255; k > 0; k--) {
              steps.sharedValue(a++, Values.UNDEFINED);
            }
          }
          case Op.LOAD_BOOLEAN -> steps.sharedValue(a, Values.ofBoolean((i >>> 16 & 255) != 0));
          case Op.LOAD_INT -> steps.sharedValue(a, Values.ofInt(i >> 16));
          case Op.LOAD_NUMBER -> steps.sharedValue(a, numbers[code[pc++]]);
          case Op.LOAD_LONG -> {
            long value = (long) code[pc] << 32 | (code[pc + 1] & 0xFFFF_FFFFL);
            pc += 2;
            steps.sharedInteger(a, value, pc);
          }
          case Op.LOAD_STRING -> steps.sharedString(a, strings[code[pc++]]);
          case Op.BOX -> steps.sharedBox(a, function.frameSize - 1, pc);
          case Op.GET_BOX -> steps.sharedGetBox(a, i >>> 16 & 255);
          case Op.SET_BOX -> steps.sharedSetBox(a, i >>> 16 & 255);
          case Op.GET_UPVALUE -> steps.sharedUpvalue(a, (i >>> 16 & 255) + 1);
          case Op.GET_UPVALUE_BOX -> steps.sharedBoxedUpvalue(a, (i >>> 16 & 255) + 1);
          case Op.SET_UPVALUE_BOX -> {
            steps.sharedSetUpvalue(a, (i >>> 16 & 255) + 1, function.frameSize - 1);
          }
          case Op.GET_GLOBAL -> {
            int x = function.frameSize - 1;
            GlobalRef name = strings[code[pc++]];
            if (!steps.sharedGlobal(a, (i >>> 16 & 255) + 1, x, name, pc, 0)) {
              break same;
            }
          }
          case Op.SET_GLOBAL -> {
            int x = function.frameSize - 1;
            GlobalRef name = strings[code[pc++]];
            if (!steps.sharedSetGlobal(a, (i >>> 16 & 255) + 1, x, name, pc, 0)) {
              break same;
            }
          }
          case Op.GET_TABLE -> {
            if (!steps.sharedGet(a, i >>> 16 & 255, i >>> 24, pc, 0)) {
              break same;
            }
          }
          case Op.GET_FIELD -> {
            GlobalRef name = strings[code[pc++]];
            if (!steps.sharedField(a, i >>> 16 & 255, name, pc, 0)) {
              break same;
            }
          }
          case Op.GET_INT -> {
            int x = function.frameSize - 1;
            if (!steps.sharedGetInt(a, i >>> 16 & 255, i >>> 24, x, pc, 0)) {
              break same;
            }
          }
          case Op.SET_TABLE -> {
            if (!steps.sharedSet(a, i >>> 16 & 255, i >>> 24, pc, 0)) {
              break same;
            }
          }
          case Op.SET_FIELD -> {
            GlobalRef name = strings[code[pc++]];
            if (!steps.sharedSetField(a, name, i >>> 16 & 255, pc, 0)) {
              break same;
            }
          }
          case Op.SET_INT -> {
            int x = function.frameSize - 1;
            if (!steps.sharedSetInt(a, i >>> 16 & 255, i >>> 24, x, pc, 0)) {
              break same;
            }
          }
          case Op.NEW_TABLE -> {
            steps.sharedTable(a, i >>> 16 & 255, code[pc], pc);
            pc++;
          }
          case Op.SET_LIST -> {
            steps.sharedList(function, a, i >>> 16 & 255, i >>> 24, code[pc], pc);
            pc++;
          }
          case Op.SELF -> {
            GlobalRef name = strings[code[pc++]];
            if (!steps.sharedSelf(a, i >>> 16 & 255, name, pc, 0)) {
              break same;
            }
          }
          case Op.ADD -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (!steps.sharedAdd(a, b, c) && !steps.sharedArithmetic(Op.ADD, a, b, c, pc, 0)) {
              break same;
            }
          }
          case Op.SUB -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (!steps.sharedSub(a, b, c) && !steps.sharedArithmetic(Op.SUB, a, b, c, pc, 0)) {
              break same;
            }
          }
          case Op.MUL -> {
            int b = i >>> 16 & 255;
            int c = i >>> 24;
            if (!steps.sharedMul(a, b, c) && !steps.sharedArithmetic(Op.MUL, a, b, c, pc, 0)) {
              break same;
            }
          }
          case Op.MOD, Op.POW, Op.DIV, Op.IDIV, Op.BAND, Op.BOR, Op.BXOR, Op.SHL, Op.SHR -> {
            if (!steps.sharedArithmetic(i & 255, a, i >>> 16 & 255, i >>> 24, pc, 0)) {
              break same;
            }
          }
          case Op.ADD_NUMBER -> {
            long y = numbers[i >>> 24];
            if (!steps.sharedAdd(a, i >>> 16 & 255, y) && !computes(function, i, y, pc)) {
              break same;
            }
          }
          case Op.SUB_NUMBER -> {
            long y = numbers[i >>> 24];
            if (!steps.sharedSub(a, i >>> 16 & 255, y) && !computes(function, i, y, pc)) {
              break same;
            }
          }
          case Op.MUL_NUMBER -> {
            long y = numbers[i >>> 24];
            if (!steps.sharedMul(a, i >>> 16 & 255, y) && !computes(function, i, y, pc)) {
              break same;
            }
          }
          case Op.MOD_NUMBER, Op.POW_NUMBER, Op.DIV_NUMBER, Op.IDIV_NUMBER -> {
            if (!computes(function, i, numbers[i >>> 24], pc)) {
              break same;
            }
          }
          case Op.NEGATE -> {
            int b = i >>> 16 & 255;
            if (!steps.sharedNegate(a, b) && !steps.sharedUnary(Op.NEGATE, a, b, pc)) {
              break same;
            }
          }
          case Op.BNOT, Op.LENGTH -> {
            if (!steps.sharedUnary(i & 255, a, i >>> 16 & 255, pc)) {
              break same;
            }
          }
          case Op.NOT -> {
            steps.sharedValue(a, Values.ofBoolean(!steps.sharedIsTrue(i >>> 16 & 255)));
          }
          case Op.CONCAT -> {
            if (!steps.sharedConcat(a, i >>> 16 & 255, pc)) {
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
          case Op.TEST -> pc = steps.sharedIsTrue(a) == (i >>> 24 != 0) ? code[pc] : pc + 1;
          case Op.EQ, Op.LT, Op.LE -> {
            int b = i >>> 16 & 255;
            int is =
                switch (i & 255) {
                  case Op.EQ -> steps.sharedEqual(a, b);
                  case Op.LT -> steps.sharedLess(a, b);
                  default -> steps.sharedLessOrEqual(a, b);
                };
            if (is >= 0) {
              pc = is != 0 == (i >>> 24 != 0) ? code[pc] : pc + 1;
            } else if (steps.sharedCompare(i & 255, a, b, pc) >= 0) {
              pc = s.pc;
            } else {
              break same;
            }
          }
          case Op.EQ_NUMBER -> {
            long y = numbers[i >>> 16 & 255];
            int is = steps.sharedEqualNumber(a, y);
            if (is < 0) { // an integer of 64 bits
              steps.sharedValue(function.frameSize - 1, y);
              is = operators.rawEqual(a, function.frameSize - 1) ? 1 : 0;
            }
            pc = is != 0 == (i >>> 24 != 0) ? code[pc] : pc + 1;
          }
          case Op.LT_NUMBER, Op.LE_NUMBER, Op.GT_NUMBER, Op.GE_NUMBER -> {
            long y = numbers[i >>> 16 & 255];
            int is = steps.sharedTest(i & 255, a, y);
            if (is >= 0) {
              pc = is != 0 == (i >>> 24 != 0) ? code[pc] : pc + 1;
              continue;
            }
            int c = function.frameSize - 1;
            steps.sharedValue(c, y);
            boolean reversed = (i & 255) >= Op.GT_NUMBER;
            boolean orEqual = (i & 255) == Op.LE_NUMBER || (i & 255) == Op.GE_NUMBER;
            int op = orEqual ? Op.LE : Op.LT;
            if (steps.sharedCompare(op, reversed ? c : a, reversed ? a : c, pc) < 0) {
              break same;
            }
            pc = s.pc;
          }
          case Op.EQ_STRING -> {
            boolean equal =
                steps.sharedEqualString(a, strings[code[pc + 1]], function.frameSize - 1);
            pc = equal == (i >>> 24 != 0) ? code[pc] : pc + 2;
          }
          case Op.EQ_NIL -> pc = steps.sharedIsNil(a) == (i >>> 24 != 0) ? code[pc] : pc + 1;
          case Op.CALL -> {
            int b = i >>> 16 & 255;
            int arguments = b - 1;
            if (b == 0) {
              arguments = s.top - a - 1;
              s.limits.copies(arguments);
            }
            steps.sharedValue(function.pcSlot, Return.save(pc, ret));
            int number = steps.sharedNumber(a);
            Code callee = number < 0 ? null : s.codes.compiled[number];
            if (callee != null) {
              steps.sharedEnter(callee, a, arguments);
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
            } else if (steps.sharedCallOther(function, number, a, arguments, (i >>> 24) - 1)
                != CompiledBody.RETURNED) {
              break same;
            }
          }
          case Op.TAIL_CALL -> {
            int _ = steps.sharedTailCall(a, i >>> 16 & 255, pc, ret);
            break same;
          }
          case Op.RETURN -> {
            int b = i >>> 16 & 255;
            if (i >>> 24 != 0 && steps.sharedClose(0, b == 0 ? s.top : a + b - 1)) {
              break same;
            }
            int _ = steps.sharedLeave(a, b, pc, ret, false);
            if (!Return.isOfInstruction(ret)) {
              break same;
            }
            function = s.code();
            if (function.heat < 0) {
              break same;
            }
            pc = s.pc;
            ret = s.ret;
            code = function.code;
            numbers = function.numbers;
            strings = function.strings;
          }
          case Op.FOR_PREPARE -> {
            int times = steps.sharedPrepare(a);
            boolean runs = times == Words.INTERPRETED ? operators.prepareFor(a) : times >= 0;
            pc = runs ? pc + 1 : code[pc];
          }
          case Op.FOR_LOOP -> {
            int goesOn = steps.sharedTurn(a);
            if (goesOn > 0 || (goesOn < 0 && operators.forNext(a))) {
              pc = code[pc];
              if (--function.heat < 0) {
                s.pc = pc;
                break same;
              }
            } else {
              pc++;
            }
          }
          case Op.TFOR_PREPARE -> {
            if (!steps.sharedIsNil(a + 3)) {
              steps.sharedCheckTbc(function, a + 3);
            }
            pc = code[pc];
          }
          case Op.TFOR_CALL -> {
            int b = i >>> 16 & 255;
            if (!steps.sharedNext(a, b, pc)
                && steps.sharedIterate(function, a, b, pc, ret) != CompiledBody.RETURNED) {
              break same;
            }
          }
          case Op.TFOR_LOOP -> {
            if (steps.sharedGoesOn(a)) {
              pc = code[pc];
              if (--function.heat < 0) {
                s.pc = pc;
                break same;
              }
            } else {
              pc++;
            }
          }
          case Op.VARARG -> steps.sharedVarargs(function, a, (i >>> 16 & 255) - 1, pc);
          case Op.CLOSURE -> {
            steps.sharedClosure(function, a, code[pc], pc);
            pc++;
          }
          case Op.TBC -> {
            steps.sharedCheckTbc(function, a);
          }
          case Op.CLOSE -> {
            if (steps.sharedClose(a, function.frameSize)) {
              break same;
            }
          }
          default -> throw new IllegalStateException("instruction " + (i & 255));
        }
      }
    }
  }
}
