package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Binary;
import dev.gleaner.lua.compiler.Syntax.Expression;
import dev.gleaner.lua.compiler.Syntax.FloatConstant;
import dev.gleaner.lua.compiler.Syntax.IntegerConstant;
import dev.gleaner.lua.compiler.Syntax.Operator;
import dev.gleaner.lua.compiler.Syntax.Parentheses;
import dev.gleaner.lua.compiler.Syntax.Simple;
import dev.gleaner.lua.compiler.Syntax.StringConstant;
import dev.gleaner.lua.compiler.Syntax.Unary;
import dev.gleaner.lua.number.Numbers;
import org.jspecify.annotations.Nullable;

/** Folds constant expressions that cannot fail. */
final class Constants {
  private Constants() {}

  static Expression fold(Operator op, Expression left, Expression right, int line, int end) {
    boolean skips =
        op == Operator.AND
            ? isConstant(left) && !isFalse(left)
            : op == Operator.OR && isFalse(left);
    if (skips) {
      return Syntax.isMultiple(right) ? new Parentheses(right, end) : right;
    }
    Expression e = folded(op, left, right);
    return e == null ? new Binary(op, left, right, line, end) : e;
  }

  static boolean isFalse(Expression e) {
    return e == Simple.NIL || e == Simple.FALSE;
  }

  private static @Nullable Expression folded(Operator op, Expression left, Expression right) {
    if (!isNumber(left) || !isNumber(right)) {
      return null;
    }
    if (isBitwise(op)) {
      return isWhole(left) && isWhole(right) ? whole(op, whole(left), whole(right)) : null;
    }
    if (left instanceof IntegerConstant(long a) && right instanceof IntegerConstant(long b)) {
      Expression e = whole(op, a, b);
      if (e != null || (b == 0 && (op == Operator.IDIV || op == Operator.MOD))) {
        return e;
      }
    }
    double a = real(left);
    double b = real(right);
    double v =
        switch (op) {
          case ADD -> a + b;
          case SUB -> a - b;
          case MUL -> a * b;
          case DIV -> a / b;
          case POW -> Numbers.power(a, b);
          case IDIV -> b == 0 ? Double.NaN : Math.floor(a / b);
          case MOD -> b == 0 ? Double.NaN : Numbers.modulo(a, b);
          default -> Double.NaN;
        };
    return Double.isNaN(v) || v == 0 || (b == 0 && op == Operator.DIV)
        ? null
        : new FloatConstant(v);
  }

  private static boolean isBitwise(Operator op) {
    return switch (op) {
      case BAND, BOR, BXOR, SHL, SHR -> true;
      default -> false;
    };
  }

  /** Computes with integers; null if the result is none, or the divisor is 0. */
  private static @Nullable Expression whole(Operator op, long a, long b) {
    if (b == 0 && (op == Operator.IDIV || op == Operator.MOD)) {
      return null;
    }
    return switch (op) {
      case ADD -> new IntegerConstant(a + b);
      case SUB -> new IntegerConstant(a - b);
      case MUL -> new IntegerConstant(a * b);
      case IDIV -> new IntegerConstant(Math.floorDiv(a, b));
      case MOD -> new IntegerConstant(Math.floorMod(a, b));
      case BAND -> new IntegerConstant(a & b);
      case BOR -> new IntegerConstant(a | b);
      case BXOR -> new IntegerConstant(a ^ b);
      case SHL -> new IntegerConstant(Numbers.shift(a, b));
      case SHR -> new IntegerConstant(b == Long.MIN_VALUE ? 0 : Numbers.shift(a, -b));
      default -> null;
    };
  }

  static Expression fold(int operator, Expression operand, int line, int end) {
    if (operator == '-' && operand instanceof IntegerConstant(long a)) {
      return new IntegerConstant(-a);
    }
    if (operator == '-' && operand instanceof FloatConstant(double a) && a != 0) {
      return new FloatConstant(-a);
    }
    if (operator == '~' && isNumber(operand) && isWhole(operand)) {
      return new IntegerConstant(~whole(operand));
    }
    if (operator == Token.NOT && (operand == Simple.NIL || operand == Simple.FALSE)) {
      return Simple.TRUE;
    }
    if (operator == Token.NOT && isConstant(operand)) {
      return Simple.FALSE;
    }
    return new Unary(operator, operand, line, end);
  }

  static boolean isConstant(Expression e) {
    return isNumber(e) || e instanceof Simple || e instanceof StringConstant;
  }

  static boolean isNumber(Expression e) {
    return e instanceof IntegerConstant || e instanceof FloatConstant;
  }

  /** Returns whether a number has the value of an integer. */
  private static boolean isWhole(Expression e) {
    return e instanceof IntegerConstant || Numbers.hasInteger(real(e));
  }

  private static long whole(Expression e) {
    return e instanceof IntegerConstant(long a) ? a : (long) real(e);
  }

  private static double real(Expression e) {
    return switch (e) {
      case IntegerConstant(long a) -> (double) a;
      case FloatConstant(double a) -> a;
      default -> throw new IllegalStateException();
    };
  }
}
