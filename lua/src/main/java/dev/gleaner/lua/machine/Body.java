package dev.gleaner.lua.machine;

/** The code of a hot Lua function as a class of the JVM, which {@link BodyCompiler} makes. */
abstract class Body {
  /** The function has returned to the one that called it directly, which goes on. */
  static final int RETURNED = 0;

  /** The state says which function goes on, and where; it may be a compiled one. */
  static final int CHANGED = 1;

  /** The state says which instruction the interpreter is to do. */
  static final int INTERPRET = 2;

  /** The frame is that of a function that was called in the tail, and which begins. */
  static final int TAIL = 3;

  /** Where it can begin: the first instruction, and heads of cycles. */
  boolean[] entries = {};

  /** Of its class. */
  int bytes;

  /** Whether the interpreter has entered it lately. Guests share this, so it is written rarely. */
  boolean used;

  /**
   * Runs the function, whose frame is the current one.
   *
   * @param x the steps it is made of
   * @param code the function
   * @param pc an entry
   * @param ret where its results go
   * @param direct whether a compiled function called it, and waits
   * @return how it ended
   */
  abstract int run(Steps x, Code code, int pc, long ret, boolean direct);
}
