package dev.gleaner.lab.guest;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;

/**
 * The machine on small steps: each asks for the type, then for the value; a function's number is
 * its first constant. {@link LargeSteps} is measured against it.
 */
final class SmallSteps extends RegisterMachine {
  SmallSteps(Heap heap, Code.Program program) {
    super(heap, program);
  }

  @Override
  void makeFunction(int d, int function) {
    makeFunction(d, function, 0);
  }

  /** The register after the last one is free for a moment. */
  private void makeFunction(int d, int function, int outer) {
    int last = t.frameSize() - 1;
    t.enter(2 + outer, d + 1 <= last ? d + 1 : 0, outer);
    t.newFunction(outer, 1 + outer, 0);
    t.setInt(outer + 1, function);
    t.storeConstant(outer, 0, outer + 1);
    for (int i = 0; i < outer; i++) {
      t.storeConstant(outer, 1 + i, i);
    }
    t.leave(outer, d);
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
        case Op.NUMBER -> setNumber(a, numbers[b]);
        case Op.MOVE -> t.copy(a, b);
        case Op.ADD -> {
          if (areInts(b, c)) {
            setInt(a, (long) t.getInt(b) + t.getInt(c));
          } else {
            t.setDouble(a, toDouble(b) + toDouble(c));
          }
        }
        case Op.SUB -> {
          if (areInts(b, c)) {
            setInt(a, (long) t.getInt(b) - t.getInt(c));
          } else {
            t.setDouble(a, toDouble(b) - toDouble(c));
          }
        }
        case Op.MUL -> {
          if (areInts(b, c)) {
            setInt(a, (long) t.getInt(b) * t.getInt(c));
          } else {
            t.setDouble(a, toDouble(b) * toDouble(c));
          }
        }
        case Op.DIV -> t.setDouble(a, toDouble(b) / toDouble(c));
        case Op.SQRT -> t.setDouble(a, Math.sqrt(toDouble(b)));
        case Op.LESS -> {
          boolean less = areInts(a, b) ? t.getInt(a) < t.getInt(b) : toDouble(a) < toDouble(b);
          pc = less ? pc : c - Code.WIDTH;
        }
        case Op.UNLESS -> pc = isTrue(a) ? pc : b - Code.WIDTH;
        case Op.JUMP -> pc = a - Code.WIDTH;
        case Op.TABLE -> t.newObject(a);
        case Op.GET -> {
          checkTable(b);
          if (t.type(c) == ValueType.INT && t.getInt(c) >= 0) {
            t.getIndex(a, b, t.getInt(c));
          } else {
            t.getProperty(a, b, c);
          }
        }
        case Op.SET -> {
          checkTable(a);
          if (t.type(b) == ValueType.INT && t.getInt(b) >= 0) {
            t.putIndex(a, t.getInt(b), c);
          } else {
            t.putProperty(a, b, c);
          }
        }
        case Op.FIELD -> field(code, a, b, c);
        case Op.SET_FIELD -> {
          checkTable(a);
          int name = code.registers;
          t.getGlobal(name, names[b]);
          t.putProperty(a, name, c);
        }
        case Op.PROTOTYPE -> t.setPrototype(a, b);
        case Op.CLOSURE -> makeFunction(a, b, c);
        case Op.OUTER -> t.loadConstant(a, 0, 1 + b);
        case Op.CALL -> {
          if (!t.isReference(a) || t.kind(a) != Kind.FUNCTION) {
            throw new GuestException("a function is wanted");
          }
          int number = code.registers;
          t.loadConstant(number, a, 0);
          push(code, pc);
          code = functions[t.getInt(number)];
          words = code.words;
          t.enter(code.registers + 1, a, b + 1);
          pc = -Code.WIDTH;
        }
        case Op.METHOD -> {
          t.copy(a + 1, b);
          field(code, a, b, c);
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

  private void field(Code code, int d, int o, int p) {
    checkTable(o);
    int name = code.registers;
    t.getGlobal(name, names[p]);
    t.getProperty(d, o, name);
  }

  private void checkTable(int r) {
    if (!t.isReference(r) || t.kind(r) != Kind.OBJECT) {
      throw new GuestException("a table is wanted");
    }
  }

  private boolean areInts(int b, int c) {
    return t.type(b) == ValueType.INT && t.type(c) == ValueType.INT;
  }

  private void setNumber(int d, long number) {
    if (Values.isInt(number)) {
      t.setInt(d, Values.toInt(number));
    } else {
      t.setDouble(d, Values.toDouble(number));
    }
  }

  private void setInt(int d, long n) {
    if (n == (int) n) {
      t.setInt(d, (int) n);
    } else {
      t.setDouble(d, (double) n);
    }
  }

  private double toDouble(int r) {
    return switch (t.type(r)) {
      case DOUBLE -> t.getDouble(r);
      case INT -> t.getInt(r);
      default -> throw new GuestException("a number is wanted");
    };
  }

  private boolean isTrue(int r) {
    ValueType type = t.type(r);
    return type == ValueType.BOOLEAN
        ? t.getBoolean(r)
        : type != ValueType.UNDEFINED && type != ValueType.NULL;
  }
}
