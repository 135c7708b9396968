package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.StackFullException;

/** The arguments of the library function that runs: slots 1 to count of its frame. */
public final class Arguments {
  /** The most values that a function may leave. */
  public static final int MOST_VALUES = 1_000_000;

  private final Machine machine;
  private final Mutator mutator;
  private int count;
  private int first;

  Arguments(Machine machine) {
    this.machine = machine;
    this.mutator = machine.mutator();
  }

  /** Makes this the arguments of another call; answers the count of the one before. */
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

  /** {@return the machine} */
  public Machine machine() {
    return machine;
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
   * {@return the slot of an argument} There may be none.
   *
   * @param i from 1
   */
  public int slot(int i) {
    return i;
  }

  /**
   * Makes room for values of the function.
   *
   * @param n how many slots
   * @return the first of them, undefined all
   */
  public int scratch(int n) {
    int size = mutator.frameSize();
    machine.resizeFrame(size + n);
    return size;
  }

  /**
   * Makes room for a number of results that a script chose.
   *
   * @param n how many
   * @param message of the error if they are too many
   * @return the first of them, undefined all
   */
  public int room(long n, String message) {
    if (n > MOST_VALUES) {
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
   * {@return what a function with results answers}
   *
   * @param from the slot of the first one
   * @param results how many
   */
  public int results(int from, int results) {
    first = from;
    return results;
  }

  /**
   * {@return what a function with one result answers}
   *
   * @param s its slot
   */
  public int one(int s) {
    first = s;
    return 1;
  }

  /** {@return what a function without a result answers} */
  public int none() {
    first = 1;
    return 0;
  }

  // ---- checks ----

  /**
   * {@return whether there is no such argument}
   *
   * @param i from 1
   */
  public boolean isNone(int i) {
    return i > count;
  }

  /**
   * {@return whether there is no such argument, or it is nil}
   *
   * @param i from 1
   */
  public boolean isNoneOrNil(int i) {
    return i > count || mutator.get(i) == Values.UNDEFINED;
  }

  /**
   * Asks for an argument, nil included.
   *
   * @param i from 1
   */
  public void checkAny(int i) {
    if (i > count) {
      throw argumentError(i, "value expected");
    }
  }

  /**
   * Asks for a table.
   *
   * @param i from 1
   */
  public void checkTable(int i) {
    if (i > count || !machine.isTable(i)) {
      throw typeError(i, "table");
    }
  }

  /**
   * {@return the integer of an argument, which may be a float or a string that has one}
   *
   * @param i from 1
   */
  public long checkInteger(int i) {
    if (i <= count) {
      long v = mutator.get(i);
      if (Values.isInt(v)) {
        return Values.toInt(v);
      }
      if (machine.isInteger(i)) {
        return machine.integer(i);
      }
      if (machine.toInteger(i)) {
        return machine.integer(i);
      }
      if (machine.toNumber(i)) {
        throw argumentError(i, "number has no integer representation");
      }
    }
    throw typeError(i, "number");
  }

  /**
   * {@return the integer of an argument, or another one if it is none or nil}
   *
   * @param i from 1
   * @param otherwise the other one
   */
  public long optInteger(int i, long otherwise) {
    return isNoneOrNil(i) ? otherwise : checkInteger(i);
  }

  /**
   * {@return the number of an argument, which may be a string that has one}
   *
   * @param i from 1
   */
  public double checkNumber(int i) {
    if (i > count || !machine.toNumber(i)) {
      throw typeError(i, "number");
    }
    return machine.number(i);
  }

  /**
   * Asks for a string; a number becomes one in its slot.
   *
   * @param i from 1
   */
  public void checkString(int i) {
    if (i > count || !machine.toText(i)) {
      throw typeError(i, "string");
    }
  }

  // ---- errors ----

  /**
   * {@return an error with the position of the caller}
   *
   * @param message bytes in ISO 8859-1
   */
  public LuaError error(String message) {
    return new LuaError(machine.where(1) + message);
  }

  /**
   * {@return an error about an argument: "bad argument #1 to 'insert' (…)"}
   *
   * @param i from 1
   * @param message what is wrong
   */
  public LuaError argumentError(int i, String message) {
    return machine.argumentError(i, message);
  }

  /**
   * {@return an error about an option that there is not} As in C, its name ends at a zero byte.
   *
   * @param i from 1
   * @param option bytes in ISO 8859-1
   */
  public LuaError optionError(int i, String option) {
    int end = option.indexOf(0);
    return argumentError(
        i, "invalid option '" + (end < 0 ? option : option.substring(0, end)) + "'");
  }

  /**
   * {@return an error about the type of an argument}
   *
   * @param i from 1
   * @param expected the name of the type
   */
  public LuaError typeError(int i, String expected) {
    String got = i > count ? "no value" : machine.typeNameMeta(i);
    return machine.argumentError(i, expected + " expected, got " + got);
  }

  /**
   * Charges steps, and looks at the limits.
   *
   * @param steps at least 0
   */
  public void work(long steps) {
    machine.work(steps);
  }
}
