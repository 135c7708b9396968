package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.StackFullException;

/** The arguments of the running library function: slots 1 to count of its frame. */
public final class Arguments {
  /** The most values that a function may leave. */
  public static final int MOST_VALUES = 1_000_000;

  private final State state;
  private final Strings strings;
  private final Operators operators;
  private final Messages messages;
  private final Mutator mutator;
  private int count;
  private int first;

  Arguments(State state, Strings strings, Operators operators, Messages messages) {
    this.state = state;
    this.strings = strings;
    this.operators = operators;
    this.messages = messages;
    this.mutator = state.t;
  }

  /** Begins another call. Returns the number of arguments of the call before. */
  int begin(int arguments) {
    int before = count;
    count = arguments;
    return before;
  }

  /** {@return the slot of the first result} */
  public int firstResult() {
    return first;
  }

  void setFirst(int slot) {
    first = slot;
  }

  /** {@return the heap's mutator} */
  public Mutator mutator() {
    return mutator;
  }

  /** {@return the number of arguments} */
  public int count() {
    return count;
  }

  /**
   * {@return the slot of an argument, whether or not there is one}
   *
   * @param i the number of the argument, from 1
   */
  public int slot(int i) {
    return i;
  }

  /**
   * Adds slots to the frame, for values of the function.
   *
   * @param n the number of slots
   * @return the first new slot; all new slots are undefined
   */
  public int scratch(int n) {
    return state.scratch(n);
  }

  /**
   * Adds slots to the frame, for a number of results that a script chose.
   *
   * @param n the number of results
   * @param message the error message if there are too many
   * @return the first new slot; all new slots are undefined
   */
  public int room(long n, String message) {
    if (n >= MOST_VALUES) {
      throw error(message);
    }
    try {
      return scratch((int) n);
    } catch (StackFullException e) {
      throw error(message);
    }
  }

  // ---- results ----

  /**
   * {@return the return value of a function with several results}
   *
   * @param from the slot of the first result
   * @param results the number of results
   */
  public int results(int from, int results) {
    first = from;
    return results;
  }

  /**
   * {@return the return value of a function with one result}
   *
   * @param s the slot of the result
   */
  public int one(int s) {
    first = s;
    return 1;
  }

  /** What a library function returns that waits for a call, and passes on its results. */
  static final int CALLS = -1;

  /** {@return the return value of a function without results} */
  public int none() {
    first = 1;
    return 0;
  }

  /**
   * Stores a string.
   *
   * @param d a slot
   * @param bytes the string, in ISO 8859-1
   */
  public void setString(int d, String bytes) {
    strings.set(d, bytes);
  }

  /**
   * Stores an integer.
   *
   * @param d a slot
   * @param v the value
   */
  public void setInteger(int d, long v) {
    state.setInteger(d, v);
  }

  // ---- checks ----

  /**
   * {@return whether an argument is missing}
   *
   * @param i the number of the argument, from 1
   */
  public boolean isNone(int i) {
    return i > count;
  }

  /**
   * {@return whether an argument is missing or nil}
   *
   * @param i the number of the argument, from 1
   */
  public boolean isNoneOrNil(int i) {
    return i > count || mutator.get(i) == Values.UNDEFINED;
  }

  /**
   * Throws an error if an argument is missing.
   *
   * @param i the number of the argument, from 1
   */
  public void checkAny(int i) {
    if (i > count) {
      throw argumentError(i, "value expected");
    }
  }

  /**
   * Throws an error if an argument is no table.
   *
   * @param i the number of the argument, from 1
   */
  public void checkTable(int i) {
    if (i > count || !Types.isTable(mutator, i)) {
      throw typeError(i, "table");
    }
  }

  /**
   * {@return an argument as an integer; floats and strings are converted}
   *
   * @param i the number of the argument, from 1
   */
  public long checkInteger(int i) {
    if (i <= count) {
      long v = mutator.get(i);
      if (Values.isInt(v)) {
        return Values.toInt(v);
      }
      if (mutator.isInteger(i)) {
        return mutator.getLong(i);
      }
      if (operators.convertToInteger(i)) {
        return mutator.getLong(i);
      }
      if (operators.toNumber(i)) {
        throw argumentError(i, "number has no integer representation");
      }
    }
    throw typeError(i, "number");
  }

  /**
   * {@return an argument as an integer, or a default if the argument is missing or nil}
   *
   * @param i the number of the argument, from 1
   * @param otherwise the default
   */
  public long optInteger(int i, long otherwise) {
    return isNoneOrNil(i) ? otherwise : checkInteger(i);
  }

  /**
   * {@return an argument as a number; strings are converted}
   *
   * @param i the number of the argument, from 1
   */
  public double checkNumber(int i) {
    if (i > count || !operators.toNumber(i)) {
      throw typeError(i, "number");
    }
    return operators.number(i);
  }

  /**
   * Throws an error if an argument is neither string nor number. Converts a number to a string, in
   * its slot.
   *
   * @param i the number of the argument, from 1
   */
  public void checkString(int i) {
    if (i > count || !operators.toText(i)) {
      throw typeError(i, "string");
    }
  }

  // ---- errors ----

  /**
   * {@return an error with the position of the calling Lua code}
   *
   * @param message the text, in ISO 8859-1
   */
  public LuaError error(String message) {
    return new LuaError(messages.where(1) + message);
  }

  /**
   * {@return an error about an argument: "bad argument #1 to 'insert' (…)"}
   *
   * @param i the number of the argument, from 1
   * @param message the text in parentheses
   */
  public LuaError argumentError(int i, String message) {
    return messages.argument(i, message);
  }

  /**
   * {@return an option or a mode, which ends at a zero byte, as in C}
   *
   * @param i the number of the argument, from 1
   * @param otherwise the option where the argument is none or nil
   * @throws LuaError if the argument is no string
   */
  public String option(int i, String otherwise) {
    if (isNoneOrNil(i)) {
      return otherwise;
    }
    checkString(i);
    return Paths.upToZero(strings.get(i));
  }

  /**
   * {@return an error about an unknown option}
   *
   * @param i the number of the argument, from 1
   * @param option as {@link #option} returned the option
   */
  public LuaError optionError(int i, String option) {
    return argumentError(i, "invalid option '" + option + "'");
  }

  /**
   * {@return an error about the type of an argument}
   *
   * @param i the number of the argument, from 1
   * @param expected the name of the right type
   */
  public LuaError typeError(int i, String expected) {
    String got = i > count ? "no value" : messages.argumentType(i);
    return messages.argument(i, expected + " expected, got " + got);
  }

  /**
   * Charges steps, and checks the limits if the fuel is used up.
   *
   * @param steps at least 0
   */
  public void work(long steps) {
    state.limits.work(steps);
  }

  /** Checks the time limits and the interrupt, for a library function that waits. */
  public void checkLimits() {
    state.limits.check();
  }
}
