package dev.gleaner.lua.compiler;

import dev.gleaner.layout.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The instructions and constants of a function while it is compiled. */
final class Assembler {
  private int[] code = new int[16];
  private int[] lines = new int[16];
  private int size;
  int line;

  private final List<Long> numbers = new ArrayList<>();
  private final Map<Long, Integer> numberIndex = new HashMap<>();
  final List<String> strings = new ArrayList<>();
  private final Map<String, Integer> stringIndex = new HashMap<>();

  int pc() {
    return size;
  }

  int[] code() {
    return Arrays.copyOf(code, size);
  }

  int[] lines() {
    return Arrays.copyOf(lines, size);
  }

  long[] numbers() {
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  private void word(int w) {
    if (size == code.length) {
      code = Arrays.copyOf(code, size * 2);
      lines = Arrays.copyOf(lines, size * 2);
    }
    code[size] = w;
    lines[size++] = line;
  }

  void emit(int op, int a, int b, int c) {
    word(Op.of(op, a, b, c));
  }

  void emitInt(int op, int a, int d) {
    word(Op.ofInt(op, a, d));
  }

  /** An instruction with a second int. */
  void emit(int op, int a, int b, int c, int more) {
    word(Op.of(op, a, b, c));
    word(more);
  }

  void append(int more) {
    word(more);
  }

  /** A jump whose end is not known yet; answers the place of its second int. */
  int jump(int op, int a, int b, int c) {
    word(Op.of(op, a, b, c));
    word(-1);
    return size - 1;
  }

  void patch(int place, int target) {
    code[place] = target;
  }

  void patchHere(List<Integer> places) {
    places.forEach(p -> patch(p, size));
  }

  int number(long tagged) {
    return numberIndex.computeIfAbsent(
        tagged,
        v -> {
          numbers.add(v);
          return numbers.size() - 1;
        });
  }

  int string(String bytes) {
    return stringIndex.computeIfAbsent(
        bytes,
        s -> {
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
