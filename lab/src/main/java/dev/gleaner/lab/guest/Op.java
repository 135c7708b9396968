package dev.gleaner.lab.guest;

/**
 * The operations, and what their operands are: a register, a number, a property's name, a label, a
 * function, or an integer as it is.
 */
final class Op {
  static final int NUMBER = 0;
  static final int MOVE = 1;
  static final int ADD = 2;
  static final int SUB = 3;
  static final int MUL = 4;
  static final int DIV = 5;
  static final int SQRT = 6;
  static final int LESS = 7;
  static final int UNLESS = 8;
  static final int JUMP = 9;
  static final int TABLE = 10;
  static final int GET = 11;
  static final int SET = 12;
  static final int FIELD = 13;
  static final int SET_FIELD = 14;
  static final int PROTOTYPE = 15;
  static final int CLOSURE = 16;
  static final int OUTER = 17;
  static final int CALL = 18;
  static final int METHOD = 19;
  static final int RETURN = 20;

  /** By their numbers: the name, and a letter for each operand. */
  static final String[] FORMATS = {
    "number rn", // r = n
    "move rr", // r1 = r2
    "add rrr", // r1 = r2 + r3
    "sub rrr",
    "mul rrr",
    "div rrr",
    "sqrt rr",
    "less rrl", // unless r1 < r2: go to l
    "unless rl", // unless r is true: go to l
    "jump l",
    "table r", // r = a new table
    "get rrr", // r1 = r2[r3]
    "set rrr", // r1[r2] = r3
    "field rrp", // r1 = r2.p
    "set-field rpr", // r1.p = r2
    "prototype rr", // the prototype of r1 is r2
    "closure rfi", // r = the function f, with the i registers after r as its outer variables
    "outer ri", // r = outer variable i of this function
    "call ri", // r = r(the i registers after r)
    "method rrp", // r1 = r2.p, and the register after r1 = r2: what a call of a method begins with
    "return r"
  };

  private Op() {}
}
