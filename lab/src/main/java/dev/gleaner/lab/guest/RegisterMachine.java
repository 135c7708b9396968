package dev.gleaner.lab.guest;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import java.util.Arrays;

/**
 * A register machine whose registers are the slots of the heap's frames. Property names are in
 * global references; of the guest's calls, what is to go on afterwards is in arrays.
 */
abstract class RegisterMachine implements AutoCloseable {
  final Mutator t;
  final Code[] functions;
  final long[] numbers;
  final GlobalRef[] names;

  private Code[] callers = new Code[16];
  private int[] returns = new int[16];
  private int depth;

  RegisterMachine(Heap heap, Code.Program program) {
    t = heap.mutator();
    functions = program.functions().toArray(Code[]::new);
    numbers = program.numbers().stream().mapToLong(n -> n).toArray();
    names = new GlobalRef[program.names().size()];
    t.enter(1);
    for (int i = 0; i < names.length; i++) {
      t.newString(0, program.names().get(i));
      names[i] = heap.newGlobal();
      t.setGlobal(names[i], 0);
    }
    t.leave();
  }

  /** Runs the first function with an argument; answers its result as a tagged value. */
  final long run(int argument) {
    t.enter(2);
    makeFunction(0, 0);
    t.setInt(1, argument);
    t.enter(functions[0].registers + 1, 0, 2);
    interpret(functions[0]);
    t.leave(0, 0);
    long result = t.get(0);
    t.leave();
    return result;
  }

  /** Makes the function element of a function, without outer variables. */
  abstract void makeFunction(int d, int function);

  /** Interprets from the start of a function until it returns; its result is in slot 0 then. */
  abstract void interpret(Code start);

  /** Notes where a call returns to. */
  final void push(Code caller, int pc) {
    if (depth == callers.length) {
      callers = Arrays.copyOf(callers, depth * 2);
      returns = Arrays.copyOf(returns, depth * 2);
    }
    callers[depth] = caller;
    returns[depth++] = pc;
  }

  final int depth() {
    return depth;
  }

  final Code caller() {
    return callers[depth - 1];
  }

  /** Forgets the innermost call; answers where it returns to. */
  final int pop() {
    return returns[--depth];
  }

  // ---- the guest's numbers ----

  /** Integers that overflow become doubles. */
  static long number(long n) {
    return n == (int) n ? Values.ofInt((int) n) : Values.ofDouble((double) n);
  }

  static double toDouble(long v) {
    if (Values.isDouble(v)) {
      return Values.toDouble(v);
    }
    if (Values.isInt(v)) {
      return Values.toInt(v);
    }
    throw new GuestException("a number is wanted");
  }

  @Override
  public void close() {
    for (GlobalRef name : names) {
      name.close();
    }
  }

  /** An error of the guest's program. */
  static final class GuestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GuestException(String message) {
      super(message);
    }
  }
}
