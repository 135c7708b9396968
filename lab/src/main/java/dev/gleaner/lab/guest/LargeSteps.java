package dev.gleaner.lab.guest;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;

/**
 * The machine on larger steps: a value is fetched once, to switch on, and computed with in Java; a
 * table is looked up in one step, and the guest's own rules begin where there is no such property.
 */
final class LargeSteps extends RegisterMachine {
  LargeSteps(Heap heap, Code.Program program) {
    super(heap, program);
  }

  @Override
  void makeFunction(int d, int function) {
    makeFunction(d, function, 0);
  }

  private void makeFunction(int d, int function, int outer) {
    t.newFunction(d, outer, 0);
    t.setFunctionCode(d, function);
    for (int i = 0; i < outer; i++) {
      t.storeConstant(d, i, d + 1 + i);
    }
  }

  @Override
  void interpret(Code start) {
    Mutator t = this.t;
    Code code = start;
    int[] words = code.words;
    int bottom = depth();
    for (int pc = 0; ; pc += Code.WIDTH) {
      int a = words[pc + 1];
      int b = words[pc + 2];
      int c = words[pc + 3];
      switch (words[pc]) {
        case Op.NUMBER -> t.set(a, numbers[b]);
        case Op.MOVE -> t.copy(a, b);
        case Op.ADD -> {
          long x = t.get(b);
          long y = t.get(c);
          t.set(
              a,
              (Values.isInt(x) && Values.isInt(y))
                  ? number((long) Values.toInt(x) + Values.toInt(y))
                  : Values.ofDouble(toDouble(x) + toDouble(y)));
        }
        case Op.SUB -> {
          long x = t.get(b);
          long y = t.get(c);
          t.set(
              a,
              (Values.isInt(x) && Values.isInt(y))
                  ? number((long) Values.toInt(x) - Values.toInt(y))
                  : Values.ofDouble(toDouble(x) - toDouble(y)));
        }
        case Op.MUL -> {
          long x = t.get(b);
          long y = t.get(c);
          t.set(
              a,
              (Values.isInt(x) && Values.isInt(y))
                  ? number((long) Values.toInt(x) * Values.toInt(y))
                  : Values.ofDouble(toDouble(x) * toDouble(y)));
        }
        case Op.DIV -> t.set(a, Values.ofDouble(toDouble(t.get(b)) / toDouble(t.get(c))));
        case Op.SQRT -> t.set(a, Values.ofDouble(Math.sqrt(toDouble(t.get(b)))));
        case Op.LESS -> {
          long x = t.get(a);
          long y = t.get(b);
          boolean less =
              (Values.isInt(x) && Values.isInt(y))
                  ? Values.toInt(x) < Values.toInt(y)
                  : toDouble(x) < toDouble(y);
          pc = less ? pc : c - Code.WIDTH;
        }
        case Op.UNLESS -> pc = isTrue(t.get(a)) ? pc : b - Code.WIDTH;
        case Op.JUMP -> pc = a - Code.WIDTH;
        case Op.TABLE -> t.newObject(a);
        case Op.GET -> {
          if (t.lookUp(a, b, c) == Values.ABSENT) {
            absent(a, b);
          }
        }
        case Op.SET -> {
          if (!t.update(a, b, c)) {
            insert(a, b, c);
          }
        }
        case Op.FIELD -> field(a, b, c);
        case Op.SET_FIELD -> {
          if (!t.update(a, names[b], c)) {
            checkTable(a);
            int name = code.registers;
            t.getGlobal(name, names[b]);
            t.putProperty(a, name, c);
          }
        }
        case Op.PROTOTYPE -> t.setPrototype(a, b);
        case Op.CLOSURE -> makeFunction(a, b, c);
        case Op.OUTER -> t.loadConstant(a, 0, b);
        case Op.CALL -> {
          int callee = t.functionCode(a);
          if (callee < 0) {
            throw new GuestException("a function is wanted");
          }
          push(code, pc);
          code = functions[callee];
          words = code.words;
          t.enter(code.registers + 1, a, b + 1);
          pc = -Code.WIDTH;
        }
        case Op.METHOD -> {
          t.copy(a + 1, b);
          field(a, b, c);
        }
        case Op.RETURN -> {
          if (depth() == bottom) {
            t.copy(0, a);
            return;
          }
          code = caller();
          words = code.words;
          pc = pop();
          t.leave(a, words[pc + 1]);
        }
        default -> throw new IllegalStateException();
      }
    }
  }

  private void field(int d, int o, int p) {
    if (t.lookUp(d, o, names[p]) == Values.ABSENT) {
      absent(d, o);
    }
  }

  /** What is not there is undefined, of a table. */
  private void absent(int d, int o) {
    checkTable(o);
    t.setUndefined(d);
  }

  private void insert(int o, int key, int s) {
    checkTable(o);
    long k = t.get(key);
    if (Values.isInt(k) && Values.toInt(k) >= 0) {
      t.putIndex(o, Values.toInt(k), s);
    } else {
      t.putProperty(o, key, s);
    }
  }

  private void checkTable(int r) {
    if (!t.isReference(r) || t.kind(r) != Kind.OBJECT) {
      throw new GuestException("a table is wanted");
    }
  }

  private static boolean isTrue(long v) {
    return v != Values.FALSE && v != Values.NULL && v != Values.UNDEFINED;
  }
}
