package dev.gleaner.lua.compiler;

/**
 * The instructions of the machine. An instruction is an int: the operation in the lowest byte, then
 * A, B and C of a byte each; or A, and D of 16 bits. Some instructions have a second int: the
 * number of a name, or the target of a jump.
 */
public final class Op {
  /** R[A] = R[B]. */
  public static final int MOVE = 0;

  /** R[A] to R[A + B - 1] are nil. */
  public static final int LOAD_NIL = 1;

  /** R[A] = B is not 0. */
  public static final int LOAD_BOOLEAN = 2;

  /** R[A] = D, signed. */
  public static final int LOAD_INT = 3;

  /** R[A] = number constant, by the second int. */
  public static final int LOAD_NUMBER = 4;

  /** R[A] = an integer of 64 bits, in the second and third int. */
  public static final int LOAD_LONG = 5;

  /** R[A] = string, by the second int. */
  public static final int LOAD_STRING = 6;

  /** R[A] = a record of one slot with R[A] in it. */
  public static final int BOX = 7;

  /** R[A] = the value in the box R[B]. */
  public static final int GET_BOX = 8;

  /** The box in R[A] holds R[B]. */
  public static final int SET_BOX = 9;

  /** R[A] = upvalue B, which is a value. */
  public static final int GET_UPVALUE = 10;

  /** R[A] = upvalue B, which is a box. */
  public static final int GET_UPVALUE_BOX = 11;

  /** Upvalue B, which is a box, holds R[A]. */
  public static final int SET_UPVALUE_BOX = 12;

  /** R[A] = upvalue B [name]. */
  public static final int GET_GLOBAL = 13;

  /** upvalue B [name] = R[A]. */
  public static final int SET_GLOBAL = 14;

  /** R[A] = R[B][R[C]]. */
  public static final int GET_TABLE = 15;

  /** R[A] = R[B][name]. */
  public static final int GET_FIELD = 16;

  /** R[A] = R[B][C]. */
  public static final int GET_INT = 17;

  /** R[A][R[B]] = R[C]. */
  public static final int SET_TABLE = 18;

  /** R[A][name] = R[B]. */
  public static final int SET_FIELD = 19;

  /** R[A][B] = R[C]. */
  public static final int SET_INT = 20;

  /** R[A] = a table with room for B fields, or more; second int: values with positions. */
  public static final int NEW_TABLE = 21;

  /** R[A][i] = R[B] and so on, C values, or all up to the top if C is 255; second int: first i. */
  public static final int SET_LIST = 22;

  /** R[A + 1] = R[B]; R[A] = R[B][name]. */
  public static final int SELF = 23;

  /** R[A] = R[B] + R[C]; and so on to SHR. */
  public static final int ADD = 24;

  public static final int SUB = 25;
  public static final int MUL = 26;
  public static final int MOD = 27;
  public static final int POW = 28;
  public static final int DIV = 29;
  public static final int IDIV = 30;
  public static final int BAND = 31;
  public static final int BOR = 32;
  public static final int BXOR = 33;
  public static final int SHL = 34;
  public static final int SHR = 35;

  /** R[A] = R[B] + number constant C. */
  public static final int ADD_NUMBER = 36;

  public static final int SUB_NUMBER = 37;
  public static final int MUL_NUMBER = 38;
  public static final int MOD_NUMBER = 39;
  public static final int POW_NUMBER = 40;
  public static final int DIV_NUMBER = 41;
  public static final int IDIV_NUMBER = 42;

  /** R[A] = -R[B]. */
  public static final int NEGATE = 43;

  public static final int BNOT = 44;
  public static final int NOT = 45;
  public static final int LENGTH = 46;

  /** R[A] = R[A] .. and so on, B values. */
  public static final int CONCAT = 47;

  /** Jumps to the second int. Hooks see the line of the jump, however reached, if A is not 0. */
  public static final int JUMP = 48;

  /** Jumps to the second int if the truth of R[A] is C. */
  public static final int TEST = 49;

  /** Jumps to the second int if the truth of R[A] == R[B] is C. */
  public static final int EQ = 50;

  public static final int LT = 51;
  public static final int LE = 52;

  /** Jumps to the second int if the truth of R[A] == number constant B is C. */
  public static final int EQ_NUMBER = 53;

  /** As EQ_NUMBER, for R[A] &lt; number constant B; and so on. */
  public static final int LT_NUMBER = 54;

  public static final int LE_NUMBER = 55;
  public static final int GT_NUMBER = 56;
  public static final int GE_NUMBER = 57;

  /** Jumps to the second int if the truth of R[A] == the string of the third int is C. */
  public static final int EQ_STRING = 58;

  /** Jumps to the second int if the truth of R[A] == nil is C. */
  public static final int EQ_NIL = 59;

  /** Calls R[A] with B - 1 arguments (0: up to the top) for C - 1 results (0: all). */
  public static final int CALL = 60;

  public static final int TAIL_CALL = 61;

  /** Returns B - 1 values from R[A] on (0: up to the top); closes variables if C is not 0. */
  public static final int RETURN = 62;

  /** Prepares a loop with count, limit and step from R[A] on; jumps past a loop without turns. */
  public static final int FOR_PREPARE = 63;

  /** Jumps to the second int for the next turn, with R[A + 3]; or ends the loop. */
  public static final int FOR_LOOP = 64;

  /** Checks that R[A + 3] can be closed, and jumps to the second int. */
  public static final int TFOR_PREPARE = 65;

  /** R[A + 4] and so on, B values, are the results of R[A](R[A + 1], R[A + 2]). */
  public static final int TFOR_CALL = 66;

  /** If R[A + 4] is not nil: R[A + 2] = R[A + 4], and jumps to the second int. */
  public static final int TFOR_LOOP = 67;

  /** R[A] and so on are the varargs, B - 1 of them (0: all). */
  public static final int VARARG = 68;

  /** R[A] = inner function, by the second int. */
  public static final int CLOSURE = 69;

  /** Checks that R[A] can be closed. */
  public static final int TBC = 70;

  /** Closes the variables to close in R[A] and above. */
  public static final int CLOSE = 71;

  /**
   * {@return the number of ints of an instruction}
   *
   * @param op an operation
   */
  public static int width(int op) {
    return switch (op) {
      case LOAD_NUMBER,
          LOAD_STRING,
          GET_GLOBAL,
          SET_GLOBAL,
          GET_FIELD,
          SET_FIELD,
          NEW_TABLE,
          SET_LIST,
          SELF,
          JUMP,
          TEST,
          EQ,
          LT,
          LE,
          EQ_NUMBER,
          LT_NUMBER,
          LE_NUMBER,
          GT_NUMBER,
          GE_NUMBER,
          EQ_NIL,
          FOR_PREPARE,
          FOR_LOOP,
          TFOR_PREPARE,
          TFOR_LOOP,
          CLOSURE ->
          2;
      case LOAD_LONG, EQ_STRING -> 3;
      default -> 1;
    };
  }

  /**
   * {@return whether an instruction may jump}
   *
   * @param op an operation
   */
  public static boolean jumps(int op) {
    return isJumpOrTest(op)
        || op == FOR_PREPARE
        || op == FOR_LOOP
        || op == TFOR_PREPARE
        || op == TFOR_LOOP;
  }

  private static boolean isJumpOrTest(int op) {
    return op >= JUMP && op <= EQ_NIL;
  }

  /**
   * {@return whether an instruction writes no register}
   *
   * @param op an operation
   */
  public static boolean writesNone(int op) {
    return switch (op) {
      case SET_BOX,
          SET_UPVALUE_BOX,
          SET_GLOBAL,
          SET_TABLE,
          SET_FIELD,
          SET_INT,
          SET_LIST,
          RETURN,
          TBC,
          CLOSE,
          TFOR_LOOP,
          TFOR_PREPARE ->
          true;
      default -> isJumpOrTest(op);
    };
  }

  private Op() {}

  static int of(int op, int a, int b, int c) {
    return op | a << 8 | b << 16 | c << 24;
  }

  static int ofInt(int op, int a, int d) {
    return op | a << 8 | d << 16;
  }
}
