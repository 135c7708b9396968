package dev.gleaner.lua.compiler;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The instructions and constants of a function during its compilation. */
final class Assembler {
  private static final int FIRST = 16;

  /** Bytes of a word and its line. */
  private static final int WORD = 2 * Integer.BYTES;

  /** Bytes of an entry in the index of constants. */
  private static final int INDEXED = Account.ENTRY + 2 * Account.OBJECT;

  private final Meter meter;
  private int[] code = new int[FIRST];
  private int[] lines = new int[FIRST];
  private int size;

  /** The line of the next instruction. */
  int line;

  /** The first instruction without a line, which gets that of the next one; or -1. */
  private int early = -1;

  /** The end of an instruction LOAD_NIL that a jump does not skip. */
  private int nil = -1;

  /** The last position to which code jumps, as far as known. */
  private int target = -1;

  private final List<Long> numbers = new ArrayList<>();
  private final Map<Long, Integer> numberIndex = new HashMap<>();
  private final List<String> strings = new ArrayList<>();
  private final Map<String, Integer> stringIndex = new HashMap<>();

  Assembler(Meter meter) {
    this.meter = meter;
    meter.charge((long) WORD * FIRST);
  }

  int pc() {
    return size;
  }

  /** Returns the function with its complete code, and gives back the work space. */
  Draft draft(
      Syntax.Function function, int registers, List<Draft> inner, List<Variable> variables) {
    meter.charge((long) WORD * size + (long) Long.BYTES * (numbers.size() + strings.size()));
    Draft draft =
        new Draft(
            function,
            registers,
            Arrays.copyOf(code, size),
            Arrays.copyOf(lines, size),
            numbers.stream().mapToLong(Long::longValue).toArray(),
            strings.toArray(String[]::new),
            inner,
            variables);
    meter.refund((long) WORD * code.length + (long) INDEXED * (numbers.size() + strings.size()));
    return draft;
  }

  private void word(int w) {
    if (size == code.length) {
      meter.charge(2L * WORD * size);
      meter.work(size >>> 3);
      code = Arrays.copyOf(code, size * 2);
      lines = Arrays.copyOf(lines, size * 2);
      meter.refund((long) WORD * size);
    }
    code[size] = w;
    lines[size++] = line;
    if (early >= 0) {
      Arrays.fill(lines, early, size, line);
      early = -1;
    }
  }

  /** Begins instructions that PUC Lua does not have, or has later. Returns what ends them. */
  int startEarly() {
    int start = early < 0 ? size : early;
    early = -1;
    return start;
  }

  /** Gives instructions the line of the next one, so that no hook sees them. */
  void endEarly(int start) {
    early = start < size ? start : -1;
  }

  /** Lets the next instruction have the line of the last one. */
  void keepLine() {
    line = size == 0 || early >= 0 ? line : lines[size - 1];
  }

  /** Returns the position of the next instruction, to which code jumps. */
  int label() {
    nil = -1;
    target = size;
    return size;
  }

  /**
   * Adds an instruction without effect, for hooks, where PUC Lua closes the upvalues of a block.
   * The instruction is left out where no hook would see the line.
   */
  void end(int at) {
    if (target == size || size == 0 || lines[size - 1] != at) {
      line = at;
      emit(Op.JUMP, 1, 0, 0, size + 2);
      int _ = label();
    }
  }

  void emit(int op, int a, int b, int c) {
    word(Op.of(op, a, b, c));
  }

  void emitInt(int op, int a, int d) {
    word(Op.ofInt(op, a, d));
  }

  /** Adds an instruction with a second int. */
  void emit(int op, int a, int b, int c, int more) {
    word(Op.of(op, a, b, c));
    word(more);
  }

  void append(int more) {
    word(more);
  }

  /** Adds a jump to a target that is not known yet. Returns the position of the second int. */
  int jump(int op, int a, int b, int c) {
    word(Op.of(op, a, b, c));
    word(-1);
    return size - 1;
  }

  /** Adds a LOAD_NIL, or lets the one before load more registers. */
  void loadNil(int first, int count) {
    if (nil == size && (code[size - 1] >>> 8 & 255) + (code[size - 1] >>> 16 & 255) == first) {
      code[size - 1] += count << 16;
    } else {
      emit(Op.LOAD_NIL, first, count, 0);
    }
    nil = size;
  }

  void patch(int place, int target) {
    nil = -1;
    this.target = Math.max(this.target, target);
    code[place] = target;
  }

  void patchHere(List<Integer> places) {
    places.forEach(p -> patch(p, size));
  }

  int number(long tagged) {
    return numberIndex.computeIfAbsent(
        tagged,
        v -> {
          meter.charge(INDEXED);
          numbers.add(v);
          return numbers.size() - 1;
        });
  }

  int string(String bytes) {
    return stringIndex.computeIfAbsent(
        bytes,
        s -> {
          meter.charge(INDEXED + Account.text(0) + s.length());
          strings.add(s);
          return strings.size() - 1;
        });
  }

  void loadInteger(int a, long v) {
    if (v == (short) v) {
      emitInt(Op.LOAD_INT, a, (int) v);
    } else if (v == (int) v) {
      emit(Op.LOAD_NUMBER, a, 0, 0, number(Values.ofInt((int) v)));
    } else {
      emit(Op.LOAD_LONG, a, 0, 0, (int) (v >>> 32));
      append((int) v);
    }
  }

  void loadFloat(int a, double v) {
    emit(Op.LOAD_NUMBER, a, 0, 0, number(Values.ofDouble(v)));
  }
}
