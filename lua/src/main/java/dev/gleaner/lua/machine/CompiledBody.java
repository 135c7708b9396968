package dev.gleaner.lua.machine;

/** The code of a hot Lua function as a class of the JVM, which {@link BodyCompiler} makes. */
abstract class CompiledBody extends Body {
  /** The function has returned to its direct caller. The caller continues. */
  static final int RETURNED = 0;

  /** The function in the state continues, at the state's instruction; it may be compiled. */
  static final int CHANGED = 1;

  /** The interpreter continues at the state's instruction. */
  static final int INTERPRET = 2;

  /** The current frame is that of a tail call. The called function begins. */
  static final int TAIL = 3;

  /**
   * Runs the function in the current frame.
   *
   * @param x the steps
   * @param code the function
   * @param pc the entry
   * @param ret the return word
   * @param direct whether a compiled function called this one, and waits
   * @return one of the four constants
   */
  abstract int run(Steps x, Code code, int pc, long ret, boolean direct);
}
