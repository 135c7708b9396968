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

  private static boolean isFalse(Expression e) {
    return e == Simple.NIL || e == Simple.FALSE;
  }

  private static @Nullable Expression folded(Operator op, Expression left, Expression right) {
    if (left instanceof IntegerConstant(long a) && right instanceof IntegerConstant(long b)) {
      Expression whole =
          switch (op) {
            case ADD -> new IntegerConstant(a + b);
            case SUB -> new IntegerConstant(a - b);
            case MUL -> new IntegerConstant(a * b);
            default -> null;
          };
      if (whole != null) {
        return whole;
      }
    }
    if (!isNumber(left) || !isNumber(right)) {
      return null;
    }
    double a = real(left);
    double b = real(right);
    double v =
        switch (op) {
          case ADD -> a + b;
          case SUB -> a - b;
          case MUL -> a * b;
          case DIV -> a / b;
          default -> Double.NaN;
        };
    return Double.isNaN(v) || v == 0 ? null : new FloatConstant(v);
  }

  static Expression fold(int operator, Expression operand, int line, int end) {
    if (operator == '-' && operand instanceof IntegerConstant(long a)) {
      return new IntegerConstant(-a);
    }
    if (operator == '-' && operand instanceof FloatConstant(double a) && a != 0) {
      return new FloatConstant(-a);
    }
    if (operator == '~' && operand instanceof IntegerConstant(long a)) {
      return new IntegerConstant(~a);
    }
    if (operator == '~' && operand instanceof FloatConstant(double a) && a == (long) a) {
      return a == 0x1p63 ? new Unary(operator, operand, line, end) : new IntegerConstant(~(long) a);
    }
    if (operator == Token.NOT && (operand == Simple.NIL || operand == Simple.FALSE)) {
      return Simple.TRUE;
    }
    if (operator == Token.NOT && operand == Simple.TRUE) {
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

  private static double real(Expression e) {
    return switch (e) {
      case IntegerConstant(long a) -> (double) a;
      case FloatConstant(double a) -> a;
      default -> throw new IllegalStateException();
    };
  }
}
