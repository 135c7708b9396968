package dev.gleaner.lua.machine;

import dev.gleaner.layout.Values;

/**
 * The return word of a call, 38 bits: the slot for results in the caller's frame, the number of
 * wanted results, and the way in which the caller continues. A function keeps the word in a Java
 * local. Before a call, the function writes the word and the program counter into a slot of its
 * frame. So a function that calls nothing writes nothing.
 *
 * <pre>
 *   saved word, as a double   bits 0 to 23 program counter, then the return
 *   return                    bits 0 to 3 kind, 4 tail call, 5 to 13 wanted + 1, 14 to 37 slot
 * </pre>
 */
final class Return {
  /** The caller is a Lua function. The results are the results of its instruction. */
  static final int CALL = 0;

  /** The truth of the result decides a comparison of a Lua function. */
  static final int TEST = 1;

  /** A Lua function repeats its instruction, with the slot as its top. */
  static final int AGAIN = 2;

  /** A Lua function continues a concatenation. The last operand is in the slot. */
  static final int CONCAT = 3;

  /** The caller is a library function that continues: protected call, coroutine. */
  static final int LIBRARY = 4;

  /** The caller is Java code. */
  static final int JAVA = 5;

  /** An error passes through a Lua function. The error is in the slot. */
  static final int UNWIND = 6;

  /** A coroutine ends. */
  static final int COROUTINE = 7;

  /** A library function was called in the tail of a Lua function. */
  static final int AGAIN_AS_RETURN = 8;

  /** The opposite of TEST. */
  static final int TEST_NOT = 9;

  /** As CALL, for a call that nests: of a metamethod, or by a loop. */
  static final int NESTED = 10;

  static final int ALL = -1;

  private static final int KIND_MASK = 15;
  private static final int TAIL = 1 << 4;
  private static final int WANTED_SHIFT = 5;
  private static final int WANTED_MASK = 511;
  private static final int SLOT_SHIFT = 14;
  private static final int PC_BITS = 24;

  /** The double whose bits are 0. So few bits are always those of a number. */
  private static final long ZERO = Values.ofDouble(0);

  private Return() {}

  static long of(int kind, int slot, int wanted) {
    return kind | (wanted + 1L) << WANTED_SHIFT | (long) slot << SLOT_SHIFT;
  }

  static int kind(long r) {
    return (int) r & KIND_MASK;
  }

  /** Returns whether the results are those of an instruction of a Lua function. */
  static boolean isOfInstruction(long r) {
    int kind = kind(r);
    return kind == CALL || kind == NESTED;
  }

  static int slot(long r) {
    return (int) (r >>> SLOT_SHIFT);
  }

  static int wanted(long r) {
    return ((int) (r >>> WANTED_SHIFT) & WANTED_MASK) - 1;
  }

  static long asTail(long r) {
    return r | TAIL;
  }

  static boolean isTail(long r) {
    return (r & TAIL) != 0;
  }

  /** Returns the word to save, as a tagged value. */
  static long save(int pc, long r) {
    return ZERO + (r << PC_BITS | pc);
  }

  static int pc(long saved) {
    return (int) bits(saved) & (1 << PC_BITS) - 1;
  }

  static long of(long saved) {
    return bits(saved) >>> PC_BITS;
  }

  private static long bits(long saved) {
    return Values.isDouble(saved) ? saved - ZERO : 0;
  }
}
