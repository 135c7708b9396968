package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import org.jspecify.annotations.Nullable;

/**
 * The steps that the JVM's compiler inlines into no caller. So a caller is small, and the compiler
 * is done with the caller soon. The steps are compiled once for all callers: the interpreter, and
 * the first bodies of functions. Each does what the method of {@link Steps} with the rest of its
 * name does. {@link SharedStepsClass} makes the methods.
 */
abstract class SharedSteps {
  abstract boolean sharedHoldNoReference(long registers);

  abstract void sharedMove(int a, int b);

  abstract void sharedInteger(int a, long value, int pc);

  abstract void sharedString(int a, GlobalRef text);

  abstract void sharedBox(int a, int x, int pc);

  abstract void sharedGetBox(int a, int b);

  abstract void sharedSetBox(int a, int b);

  abstract void sharedUpvalue(int a, int index);

  abstract void sharedBoxedUpvalue(int a, int index);

  abstract void sharedSetUpvalue(int a, int index, int x);

  abstract boolean sharedGlobal(int a, int index, int x, GlobalRef name, int pc, int behind);

  abstract boolean sharedSetGlobal(int a, int index, int x, GlobalRef name, int pc, int behind);

  abstract boolean sharedField(int a, int b, GlobalRef name, int pc, int behind);

  abstract boolean sharedSelf(int a, int b, GlobalRef name, int pc, int behind);

  abstract boolean sharedSetField(int a, GlobalRef name, int b, int pc, int behind);

  abstract boolean sharedGet(int a, int b, int c, int pc, int behind);

  abstract boolean sharedGetQuickly(int a, int b, int c, int pc);

  abstract boolean sharedGetInt(int a, int b, int index, int x, int pc, int behind);

  abstract boolean sharedSet(int a, int b, int c, int pc, int behind);

  abstract boolean sharedSetQuickly(int a, int b, int c, int pc);

  abstract boolean sharedSetInt(int a, int index, int c, int x, int pc, int behind);

  abstract boolean sharedDoSlowly(
      int op, int a, int b, int c, @Nullable GlobalRef name, int pc, int behind);

  abstract void sharedTable(int a, int fields, int positions, int pc);

  abstract void sharedList(Code code, int a, int b, int c, int start, int pc);

  abstract boolean sharedAdd(int a, int b, int c);

  abstract boolean sharedAdd(int a, int b, long y);

  abstract boolean sharedSub(int a, int b, int c);

  abstract boolean sharedSub(int a, int b, long y);

  abstract boolean sharedMul(int a, int b, int c);

  abstract boolean sharedMul(int a, int b, long y);

  abstract boolean sharedDiv(int a, int b, int c);

  abstract boolean sharedDiv(int a, int b, long y);

  abstract boolean sharedMod(int a, int b, int c);

  abstract boolean sharedMod(int a, int b, long y);

  abstract boolean sharedOther(int a, int b, int c, int op);

  abstract boolean sharedOther(int a, int b, long y, int op);

  abstract boolean sharedArithmetic(int op, int a, int b, int c, int pc, int behind);

  abstract boolean sharedNegate(int a, int b);

  abstract int sharedPrepare(int a);

  abstract int sharedTurn(int a);

  abstract boolean sharedUnary(int op, int a, int b, int pc);

  abstract boolean sharedConcat(int a, int count, int pc);

  abstract int sharedEqual(int a, int b);

  abstract int sharedCompare(int op, int a, int b, int pc);

  abstract int sharedEqualNumber(int a, long y);

  abstract boolean sharedEqualString(int a, GlobalRef text, int x);

  abstract boolean sharedNext(int a, int wanted, int pc);

  abstract boolean sharedGoesOn(int a);

  abstract void sharedVarargs(Code code, int a, int wanted, int pc);

  abstract void sharedClosure(Code code, int a, int inner, int pc);

  abstract void sharedValue(int a, long value);

  abstract boolean sharedIsTrue(int a);

  abstract boolean sharedIsNil(int a);

  abstract int sharedLess(int a, int b);

  abstract int sharedLessOrEqual(int a, int b);

  abstract int sharedTest(int op, int a, long y);

  abstract int sharedNumber(int a);

  abstract void sharedCheckTbc(Code code, int a);

  abstract boolean sharedClose(int from, int top);

  abstract void sharedEnter(Code callee, int a, int arguments);

  abstract int sharedCallOther(Code code, int number, int a, int arguments, int wanted);

  abstract int sharedIterate(Code code, int a, int wanted, int pc, long ret);

  abstract int sharedTailCall(int a, int b, int pc, long ret);

  abstract int sharedLeave(int a, int b, int pc, long ret, boolean direct);
}
