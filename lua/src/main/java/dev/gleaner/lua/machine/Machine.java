package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs compiled functions; the services that library functions have of it. */
public final class Machine {
  private final Mutator t;

  /**
   * A machine on a heap.
   *
   * @param mutator of the heap
   */
  public Machine(Mutator mutator) {
    this.t = mutator;
  }

  /** {@return the heap's mutator} */
  public Mutator mutator() {
    return t;
  }

  private static UnsupportedOperationException missing() {
    return new UnsupportedOperationException();
  }

  // ---- values ----

  /**
   * {@return whether a slot holds a table}
   *
   * @param s any slot
   */
  public boolean isTable(int s) {
    throw missing();
  }

  /**
   * {@return whether a slot holds a string}
   *
   * @param s any slot
   */
  public boolean isString(int s) {
    throw missing();
  }

  /**
   * {@return whether a slot holds a function}
   *
   * @param s any slot
   */
  public boolean isFunction(int s) {
    throw missing();
  }

  /**
   * {@return whether a slot holds a number}
   *
   * @param s any slot
   */
  public boolean isNumber(int s) {
    throw missing();
  }

  /**
   * {@return whether a slot holds an integer}
   *
   * @param s any slot
   */
  public boolean isInteger(int s) {
    throw missing();
  }

  /**
   * {@return the integer of a slot}
   *
   * @param s a slot of which {@link #isInteger} holds
   */
  public long integer(int s) {
    throw missing();
  }

  /**
   * {@return the number of a slot, as a float}
   *
   * @param s a slot of which {@link #isNumber} holds
   */
  public double number(int s) {
    throw missing();
  }

  /**
   * Stores an integer.
   *
   * @param d a slot
   * @param v the value
   */
  public void setInteger(int d, long v) {
    throw missing();
  }

  /**
   * Makes a number of a string in its slot.
   *
   * @param s any slot
   * @return whether it holds a number now
   */
  public boolean toNumber(int s) {
    throw missing();
  }

  /**
   * Makes an integer of a float that has one, or of a string of such a number, in its slot.
   *
   * @param s any slot
   * @return whether it holds an integer now; else it is as it was
   */
  public boolean toInteger(int s) {
    throw missing();
  }

  /**
   * Makes a string of a number in its slot.
   *
   * @param s any slot
   * @return whether it holds a string now
   */
  public boolean toText(int s) {
    throw missing();
  }

  /**
   * {@return the bytes of a string, in ISO 8859-1}
   *
   * @param s the slot of a string
   */
  public String string(int s) {
    throw missing();
  }

  /**
   * Stores a string.
   *
   * @param d a slot
   * @param bytes in ISO 8859-1
   */
  public void setString(int d, String bytes) {
    throw missing();
  }

  /**
   * {@return the name of a value's type, as {@code type} has it}
   *
   * @param s any slot
   */
  public String typeName(int s) {
    throw missing();
  }

  /**
   * {@return the name of a value's type, or what its metatable has as __name}
   *
   * @param s any slot
   */
  public String typeNameMeta(int s) {
    throw missing();
  }

  // ---- tables, without metamethods ----

  /**
   * Makes a table.
   *
   * @param d the slot that gets it
   */
  public void newTable(int d) {
    throw missing();
  }

  /**
   * Loads the value of a key, nil if there is none.
   *
   * @param d the slot that gets the value
   * @param o the slot of a table
   * @param k the slot of the key, any value
   */
  public void rawGet(int d, int o, int k) {
    throw missing();
  }

  /**
   * Stores a value; nil deletes.
   *
   * @param o the slot of a table
   * @param k the slot of the key; nil and NaN are errors
   * @param s the slot of the value
   */
  public void rawSet(int o, int k, int s) {
    throw missing();
  }

  /**
   * Loads the value of an integer.
   *
   * @param d the slot that gets the value
   * @param o the slot of a table
   * @param k any
   */
  public void rawGet(int d, int o, long k) {
    throw missing();
  }

  /**
   * Stores the value of an integer.
   *
   * @param o the slot of a table
   * @param k any
   * @param s the slot of the value
   */
  public void rawSet(int o, long k, int s) {
    throw missing();
  }

  /**
   * {@return a border of a table}
   *
   * @param o the slot of a table
   */
  public long rawLength(int o) {
    throw missing();
  }

  /**
   * Loads the metatable of any value.
   *
   * @param d the slot that gets it, as it was if there is none
   * @param s any slot
   * @return whether there is one
   */
  public boolean metatable(int d, int s) {
    throw missing();
  }

  /**
   * Sets the metatable of a table or userdata, or that of all strings.
   *
   * @param o the slot of the value
   * @param s the slot of the metatable, or of nil
   */
  public void setMetatable(int o, int s) {
    throw missing();
  }

  /**
   * Loads a metamethod of a value.
   *
   * @param d the slot that gets it, as it was if there is none
   * @param s any slot
   * @param event as "__index"
   * @return whether there is one
   */
  public boolean metamethod(int d, int s, String event) {
    throw missing();
  }

  // ---- with metamethods: nested on the Java stack, no yield inside ----

  /**
   * Calls a function.
   *
   * @param first the slot of the function; its arguments follow, and results begin here
   * @param args how many arguments
   * @param wanted how many results, padded with nil; -1 for all
   * @return how many there are
   */
  public int call(int first, int args, int wanted) {
    throw missing();
  }

  /**
   * {@code d = o[k]}.
   *
   * @param d the slot that gets the value
   * @param o any slot
   * @param k any slot
   */
  public void index(int d, int o, int k) {
    throw missing();
  }

  /**
   * {@code o[k] = s}.
   *
   * @param o any slot
   * @param k any slot
   * @param s any slot
   */
  public void setIndex(int o, int k, int s) {
    throw missing();
  }

  /**
   * {@code d = #o}.
   *
   * @param d the slot that gets the value
   * @param o any slot
   */
  public void length(int d, int o) {
    throw missing();
  }

  /**
   * {@return a &lt; b}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean lessThan(int a, int b) {
    throw missing();
  }

  /**
   * {@return a == b}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean equal(int a, int b) {
    throw missing();
  }

  /**
   * {@return whether two slots hold the same value, without metamethods}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean rawEqual(int a, int b) {
    throw missing();
  }

  /**
   * What {@code tostring} makes of a value.
   *
   * @param d the slot that gets the string
   * @param s any slot
   */
  public void toStringMeta(int d, int s) {
    throw missing();
  }

  // ---- functions and userdata that libraries make ----

  /**
   * Makes a library function that holds values, as a closure does.
   *
   * @param d the slot that gets it
   * @param name for tracebacks
   * @param function what it does
   * @param first the slot of the first value it holds
   * @param held how many, from 0 on
   */
  public void newBuiltin(int d, String name, Builtin function, int first, int held) {
    throw missing();
  }

  /**
   * Loads a value that the library function that runs holds.
   *
   * @param d the slot that gets it
   * @param i from 0
   */
  public void loadHeld(int d, int i) {
    throw missing();
  }

  /**
   * Stores a value that the library function that runs holds.
   *
   * @param i from 0
   * @param s the slot of the value
   */
  public void storeHeld(int i, int s) {
    throw missing();
  }

  /**
   * Makes a userdata, without a metatable yet.
   *
   * @param d the slot that gets it
   * @param value what it stands for
   */
  public void newUserdata(int d, Object value) {
    throw missing();
  }

  /**
   * {@return what a userdata stands for; null if the slot holds none}
   *
   * @param s any slot
   */
  public @Nullable Object userdata(int s) {
    throw missing();
  }

  /**
   * {@return what %p and tostring show of an element, as "0x0000000000001234"}
   *
   * @param s the slot of an element
   */
  public String address(int s) {
    throw missing();
  }

  // ---- frames, errors, limits, libraries ----

  /**
   * Changes the number of slots of the frame; new ones are undefined.
   *
   * @param slots at least 0
   */
  public void resizeFrame(int slots) {
    throw missing();
  }

  /**
   * {@return where a running function is, as "file:12: "; empty if it is no Lua function}
   *
   * @param level 0 for the function that runs, 1 for its caller
   */
  public String where(int level) {
    throw missing();
  }

  /** An error about an argument of the library function that runs. */
  LuaError argumentError(int i, String message) {
    throw missing();
  }

  /**
   * {@return an error with a value of any type}
   *
   * @param s the slot of the value
   */
  public LuaError error(int s) {
    throw missing();
  }

  /**
   * Charges steps, and looks at the limits.
   *
   * @param steps at least 0
   */
  public void work(long steps) {
    throw missing();
  }

  /**
   * Begins a library: a table, in package.loaded and as a global.
   *
   * @param name of the global
   * @return to add functions to
   */
  public Library library(String name) {
    throw missing();
  }

  /** A library under construction. */
  public interface Library {
    /**
     * Adds a function.
     *
     * @param name of the field
     * @param function what it does
     * @return this
     */
    Library add(String name, Builtin function);

    /**
     * Adds a float.
     *
     * @param name of the field
     * @param value its value
     * @return this
     */
    Library add(String name, double value);

    /**
     * Adds an integer.
     *
     * @param name of the field
     * @param value its value
     * @return this
     */
    Library add(String name, long value);

    /**
     * Adds a string.
     *
     * @param name of the field
     * @param bytes in ISO 8859-1
     * @return this
     */
    Library add(String name, String bytes);

    /**
     * Makes the library's table the __index of the metatable of all strings.
     *
     * @return this
     */
    Library forStrings();

    /**
     * Does something with the table of the library.
     *
     * @param work gets the slot of the table, in a frame of its own
     * @return this
     */
    Library with(IntConsumer work);
  }
}
