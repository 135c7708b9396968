package dev.gleaner.lua.machine;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.number.Numbers;

/**
 * Arithmetic of compiled functions on numbers: tagged values in Java locals. A result of {@link
 * Values#ABSENT}, or a negative result of a test, leaves the instruction to the interpreter: an
 * operand is no number, or the result needs more than 32 bits, or is an error.
 */
final class Words {
  /** The loop has no turn. */
  static final int SKIPPED = -1;

  /** The interpreter must prepare the loop. */
  static final int INTERPRETED = -2;

  private Words() {}

  private static boolean is(long v) {
    return Values.isInt(v) || Values.isDouble(v);
  }

  private static double toFloat(long v) {
    return Values.isInt(v) ? (double) Values.toInt(v) : Values.toDouble(v);
  }

  private static long integer(long v) {
    return v == (int) v ? Values.ofInt((int) v) : Values.ABSENT;
  }

  static boolean isAbsent(long v) {
    return v == Values.ABSENT;
  }

  // ---- arithmetic ----

  static long add(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return integer((long) Values.toInt(x) + Values.toInt(y));
    }
    if (Values.isDouble(x) && Values.isDouble(y)) {
      return Values.ofDouble(Values.toDouble(x) + Values.toDouble(y));
    }
    return floats(Op.ADD, x, y);
  }

  static long sub(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return integer((long) Values.toInt(x) - Values.toInt(y));
    }
    if (Values.isDouble(x) && Values.isDouble(y)) {
      return Values.ofDouble(Values.toDouble(x) - Values.toDouble(y));
    }
    return floats(Op.SUB, x, y);
  }

  static long mul(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return integer((long) Values.toInt(x) * Values.toInt(y));
    }
    if (Values.isDouble(x) && Values.isDouble(y)) {
      return Values.ofDouble(Values.toDouble(x) * Values.toDouble(y));
    }
    return floats(Op.MUL, x, y);
  }

  static long div(long x, long y) {
    if (Values.isDouble(x) && Values.isDouble(y)) {
      return Values.ofDouble(Values.toDouble(x) / Values.toDouble(y));
    }
    return floats(Op.DIV, x, y);
  }

  static long mod(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      boolean plain = Values.toInt(y) > 0;
      return plain ? Values.ofInt(Math.floorMod(Values.toInt(x), Values.toInt(y))) : Values.ABSENT;
    }
    return floats(Op.MOD, x, y);
  }

  /** Computes any other binary operator. */
  static long other(long x, long y, int op) {
    if (Values.isInt(x) && Values.isInt(y) && op != Op.POW) {
      return integers(op, Values.toInt(x), Values.toInt(y));
    }
    return isBitwise(op) ? Values.ABSENT : floats(op, x, y);
  }

  private static long integers(int op, int x, int y) {
    return switch (op) {
      case Op.IDIV -> y == 0 ? Values.ABSENT : integer(Math.floorDiv((long) x, y));
      case Op.BAND -> Values.ofInt(x & y);
      case Op.BOR -> Values.ofInt(x | y);
      case Op.BXOR -> Values.ofInt(x ^ y);
      case Op.SHL -> integer(Numbers.shift(x, y));
      case Op.SHR -> integer(Numbers.shift(x, -(long) y));
      default -> Values.ABSENT;
    };
  }

  private static long floats(int op, long x, long y) {
    return is(x) && is(y) ? Values.ofDouble(compute(op, toFloat(x), toFloat(y))) : Values.ABSENT;
  }

  /** Computes with floats. The operator is not bitwise. */
  static double compute(int op, double x, double y) {
    return switch (op) {
      case Op.ADD -> x + y;
      case Op.SUB -> x - y;
      case Op.MUL -> x * y;
      case Op.DIV -> x / y;
      case Op.POW -> Numbers.power(x, y);
      case Op.IDIV -> Math.floor(x / y);
      case Op.MOD -> Numbers.modulo(x, y);
      default -> throw new IllegalArgumentException("operator " + op);
    };
  }

  static boolean isBitwise(int op) {
    return op >= Op.BAND && op <= Op.SHR;
  }

  static long negate(long x) {
    if (Values.isInt(x)) {
      return integer(-(long) Values.toInt(x));
    }
    return Values.isDouble(x) ? Values.ofDouble(-Values.toDouble(x)) : Values.ABSENT;
  }

  // ---- tests: 0 false, 1 true, negative for the interpreter ----

  static int less(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return Values.toInt(x) < Values.toInt(y) ? 1 : 0;
    }
    return is(x) && is(y) ? toFloat(x) < toFloat(y) ? 1 : 0 : -1;
  }

  static int lessOrEqual(long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return Values.toInt(x) <= Values.toInt(y) ? 1 : 0;
    }
    return is(x) && is(y) ? toFloat(x) <= toFloat(y) ? 1 : 0 : -1;
  }

  /** Returns whether two values are equal that are no references. */
  static boolean equal(long x, long y) {
    if (x == y) {
      return !Values.isDouble(x) || !Double.isNaN(Values.toDouble(x));
    }
    return is(x) && is(y) && toFloat(x) == toFloat(y);
  }

  static boolean isTrue(long v) {
    return v != Values.UNDEFINED && v != Values.FALSE;
  }

  static boolean isNil(long v) {
    return v == Values.UNDEFINED;
  }

  static long not(long v) {
    return isTrue(v) ? Values.FALSE : Values.TRUE;
  }

  // ---- loops ----

  /** Returns the number of turns after the first, or SKIPPED or INTERPRETED. */
  static int times(long x, long limit, long step) {
    if (!Values.isInt(x)
        || !Values.isInt(limit)
        || !Values.isInt(step)
        || Values.toInt(step) == 0) {
      return INTERPRETED;
    }
    int by = Values.toInt(step);
    long range = (long) Values.toInt(limit) - Values.toInt(x);
    if (by > 0 ? range < 0 : range > 0) {
      return SKIPPED;
    }
    long times = range / by;
    return times == (int) times ? (int) times : INTERPRETED;
  }

  /**
   * Returns whether a loop has another turn, with the value of {@link #next}: 1, 0, or negative for
   * the interpreter.
   */
  static int turns(long x, long left, long step) {
    if (!Values.isInt(x) || !Values.isInt(left) || !Values.isInt(step)) {
      return -1;
    }
    if (Values.toInt(left) <= 0) {
      return 0;
    }
    long next = (long) Values.toInt(x) + Values.toInt(step);
    return next == (int) next ? 1 : -1;
  }

  static long next(long x, long step) {
    return Values.ofInt(Values.toInt(x) + Values.toInt(step));
  }

  static long oneLess(long left) {
    return Values.ofInt(Values.toInt(left) - 1);
  }
}
