package dev.gleaner.lua.compiler;

/**
 * A compiled function.
 *
 * <pre>
 *   slot 0              the function that runs
 *   slots 1 to P        its parameters
 *   slot P + 1          the next instruction and the return word, saved before a call
 *   slot P + 2          a record of the other arguments, if the function is vararg
 *   then                other locals and temporaries
 * </pre>
 */
public final class Prototype {
  /** The source of an upvalue when a closure is made. */
  public record Capture(String name, boolean local, int index, boolean boxed) {}

  /** A local variable: its register, its scope as instructions, and whether it is to be closed. */
  public record Variable(
      String name, int register, int from, int to, boolean boxed, boolean closes) {}

  private static final long[] NO_NUMBERS = {};
  private static final String[] NO_STRINGS = {};
  private static final Prototype[] NO_FUNCTIONS = {};
  private static final Capture[] NO_CAPTURES = {};
  private static final Variable[] NONE = {};

  /** The name of the chunk in messages. */
  public final String chunk;

  /** The name of the chunk as it was given. */
  public final String source;

  /** The name in the function's statement, "a.b:c"; empty for an expression. */
  public final String name;

  public final int line;
  public final int lastLine;
  public final int parameters;
  public final boolean varargs;

  /** The slot of the saved program counter. */
  public final int pcSlot;

  public final int frameSize;
  public final int[] code;
  public final int[] lines;

  /** Number constants, as tagged values. */
  public final long[] numbers;

  /** String constants, in ISO 8859-1. */
  public final String[] strings;

  public final Prototype[] inner;
  public final Capture[] captures;
  public final Variable[] variables;

  /** The variables that are to be closed. */
  public final Variable[] closing;

  Prototype(
      String source,
      String chunk,
      String name,
      int line,
      int lastLine,
      int parameters,
      boolean varargs,
      int frameSize,
      int[] code,
      int[] lines,
      long[] numbers,
      String[] strings,
      Prototype[] inner,
      Capture[] captures,
      Variable[] variables) {
    this.source = source;
    this.chunk = chunk;
    this.name = name;
    this.line = line;
    this.lastLine = lastLine;
    this.parameters = parameters;
    this.varargs = varargs;
    this.pcSlot = parameters + 1;
    this.frameSize = frameSize;
    this.code = code;
    this.lines = lines;
    this.numbers = numbers.length == 0 ? NO_NUMBERS : numbers;
    this.strings = strings.length == 0 ? NO_STRINGS : strings;
    this.inner = inner.length == 0 ? NO_FUNCTIONS : inner;
    this.captures = captures.length == 0 ? NO_CAPTURES : captures;
    this.variables = variables.length == 0 ? NONE : variables;
    this.closing = closing(variables);
  }

  private static Variable[] closing(Variable[] variables) {
    int n = 0;
    for (Variable v : variables) {
      n += v.closes() ? 1 : 0;
    }
    Variable[] closing = n == 0 ? NONE : new Variable[n];
    for (int i = variables.length - 1; n > 0; i--) {
      if (variables[i].closes()) {
        closing[--n] = variables[i];
      }
    }
    return closing;
  }
}
