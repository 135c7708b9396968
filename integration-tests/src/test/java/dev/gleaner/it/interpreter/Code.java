package dev.gleaner.it.interpreter;

/**
 * A function of {@link SmallInterpreter}: how many arguments it takes, how many slots its frame
 * has, and its instructions, four words each.
 *
 * <pre>
 *   NUMBER a n       a = n                     TEXT a n        a = text n
 *   MOVE a b         a = b                     ADD a b c       a = b + c
 *   LESS a b to      goes on if a &lt; b          JUMP to
 *   TABLE a          a = {}                    FUNCTION a n    a = function n
 *   GET a t k        a = t[k]                  SET t k a       t[k] = a
 *   CALL a n w       a … = a(a + 2 …): n arguments, w results
 *   PROTECTED a n w  the same; a = true and a + 1 … the results, or a = false and a + 1 the error
 *   TAIL_CALL a n    return a(a + 2 …)         RETURN a n      return a …: n results
 *   RAISE a          raises the error a        CREATE a b      a = a coroutine that calls b
 *   RESUME a n w     resumes a with a + 2 …; results as those of PROTECTED
 *   YIELD a n w      gives a … to the resumer; w values of the next resume land in a …
 * </pre>
 */
final class Code {
  private final int parameters;
  private final int slots;
  private final int[][] instructions;

  static final int NUMBER = 0;
  static final int TEXT = 1;
  static final int MOVE = 2;
  static final int ADD = 3;
  static final int LESS = 4;
  static final int JUMP = 5;
  static final int TABLE = 6;
  static final int FUNCTION = 7;
  static final int GET = 8;
  static final int SET = 9;
  static final int CALL = 10;
  static final int PROTECTED = 11;
  static final int TAIL_CALL = 12;
  static final int RETURN = 13;
  static final int RAISE = 14;
  static final int CREATE = 15;
  static final int RESUME = 16;
  static final int YIELD = 17;

  Code(int parameters, int slots, int[]... instructions) {
    this.parameters = parameters;
    this.slots = slots;
    this.instructions = instructions;
  }

  int parameters() {
    return parameters;
  }

  int slots() {
    return slots;
  }

  /** Operands of the instruction at {@code pc}: 1 is a, 2 is b, 3 is c; 0 is what to do. */
  int word(int pc, int operand) {
    return instructions[pc][operand];
  }

  /** A slot that no instruction names. */
  int scratch() {
    return slots - 1;
  }
}
