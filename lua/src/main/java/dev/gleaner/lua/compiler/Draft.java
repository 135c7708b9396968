package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.compiler.Syntax.Function;
import dev.gleaner.lua.compiler.Syntax.Upvalue;
import java.util.List;

/**
 * A compiled function with open questions about its upvalues. An upvalue is in a box if any
 * function assigns it, and that function may come later in the chunk. So the first code has boxes
 * only for upvalues with a known assignment. At the end of the chunk all boxes are known: a
 * GET_UPVALUE may become a GET_UPVALUE_BOX, and a GET_GLOBAL or SET_GLOBAL two instructions.
 * Operand C of the latter holds a spare register until then.
 */
final class Draft {
  static final int MOST_REGISTERS = 250;

  private static final int OPERAND_C = 0xFF << 24;

  private final Function function;
  private final long[] numbers;
  private final String[] strings;
  private final List<Draft> inner;
  private int registers;
  private int[] code;
  private int[] lines;
  private Variable[] variables;

  Draft(
      Function function,
      int registers,
      int[] code,
      int[] lines,
      long[] numbers,
      String[] strings,
      List<Draft> inner,
      List<Variable> variables) {
    this.function = function;
    this.registers = registers;
    this.code = code;
    this.lines = lines;
    this.numbers = numbers;
    this.strings = strings;
    this.inner = inner;
    this.variables = variables.toArray(Variable[]::new);
  }

  /** {@return the function, with its inner functions, once all variables are known} */
  Prototype finish(String source, String chunk, Meter meter) {
    meter.work(code.length >>> 3);
    Prototype[] finished = new Prototype[inner.size()];
    for (int i = 0; i < finished.length; i++) {
      finished[i] = inner.get(i).finish(source, chunk, meter);
    }
    List<Upvalue> upvalues = function.upvalues;
    Capture[] captures = new Capture[upvalues.size()];
    boolean[] boxed = new boolean[captures.length];
    for (int i = 0; i < captures.length; i++) {
      Upvalue u = upvalues.get(i);
      boxed[i] = u.origin().isBoxed();
      int index = u.local() ? u.origin().register : u.index();
      captures[i] = new Capture(u.origin().name, u.local(), index, boxed[i]);
    }
    int more = mark(boxed);
    if (more > 0) {
      expand(boxed, more, chunk, meter);
    }
    return new Prototype(
        source,
        chunk,
        function.name,
        function.line,
        function.lastLine,
        function.parameters,
        function.varargs,
        registers + 1, // one register for the machine
        code,
        lines,
        numbers,
        strings,
        finished,
        captures,
        variables);
  }

  /** Changes instructions of the same size. Returns the number of those that must be split. */
  private int mark(boolean[] boxed) {
    int more = 0;
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      int i = code[pc];
      int b = i >>> 16 & 255;
      switch (i & 255) {
        case Op.GET_UPVALUE -> code[pc] = boxed[b] ? i - Op.GET_UPVALUE + Op.GET_UPVALUE_BOX : i;
        case Op.GET_GLOBAL, Op.SET_GLOBAL -> {
          if (boxed[b]) {
            more++;
          } else {
            code[pc] = i & ~OPERAND_C;
          }
        }
        default -> {}
      }
    }
    return more;
  }

  /** Splits instructions in two, and moves all positions that depend on the code. */
  private void expand(boolean[] boxed, int more, String chunk, Meter meter) {
    int size = code.length + more;
    meter.charge(3L * Integer.BYTES * size);
    int[] places = new int[code.length + 1];
    int[] words = new int[size];
    int[] numbered = new int[size];
    int to = 0;
    for (int pc = 0; pc < code.length; ) {
      int i = code[pc];
      int op = i & 255;
      int width = Op.width(op);
      int b = i >>> 16 & 255;
      places[pc] = to;
      int first = i;
      if ((op == Op.GET_GLOBAL || op == Op.SET_GLOBAL) && boxed[b]) {
        int a = i >>> 8 & 255;
        int table = i >>> 24;
        if (table >= MOST_REGISTERS) {
          throw tooManyRegisters(chunk, lines[pc]);
        }
        registers = Math.max(registers, table + 1);
        numbered[to] = lines[pc];
        words[to++] = Op.of(Op.GET_UPVALUE_BOX, table, b, 0);
        first =
            op == Op.GET_GLOBAL
                ? Op.of(Op.GET_FIELD, a, table, 0)
                : Op.of(Op.SET_FIELD, table, a, 0);
      }
      System.arraycopy(code, pc, words, to, width);
      System.arraycopy(lines, pc, numbered, to, width);
      words[to] = first;
      to += width;
      pc += width;
    }
    places[code.length] = to;
    for (int pc = 0; pc < size; pc += Op.width(words[pc] & 255)) {
      if (Op.jumps(words[pc] & 255)) {
        words[pc + 1] = places[words[pc + 1]];
      }
    }
    for (int i = 0; i < variables.length; i++) {
      Variable v = variables[i];
      variables[i] =
          new Variable(
              v.name(), v.register(), places[v.from()], places[v.to()], v.boxed(), v.closes());
    }
    code = words;
    lines = numbered;
  }

  static SyntaxException tooManyRegisters(String chunk, int line) {
    return new SyntaxException(
        chunk + ":" + line + ": function or expression needs too many registers");
  }
}
