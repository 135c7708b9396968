package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import java.util.function.IntConsumer;

/**
 * A library under construction. A root of the machine keeps the library's table meanwhile. Steps of
 * two libraries may take turns.
 */
public final class Registration {
  private final Machine machine;
  private final Mutator t;
  private final String library;

  /**
   * Begins a library: makes a table, and stores the table in package.loaded and as a global.
   *
   * @param machine the machine
   * @param library the name of the global; "_G" for the globals themselves
   * @param fields the least number of fields, so that the table need not grow
   */
  public Registration(Machine machine, String library, int fields) {
    this.machine = machine;
    this.t = machine.mutator();
    this.library = library;
    if (machine.isRestoring()) {
      return; // the image has the tables
    }
    t.enter(4);
    machine.loadLoaded(0);
    machine.setString(1, library);
    if (library.equals("_G")) {
      machine.loadGlobals(2);
    } else {
      machine.newTable(2, fields, 0);
    }
    machine.rawSet(0, 1, 2);
    machine.loadGlobals(0);
    machine.rawSet(0, 1, 2);
    machine.state().build(library, 2);
    t.leave();
  }

  private Registration field(String name, IntConsumer value) {
    return with(table -> {
      machine.setString(2, name);
      value.accept(3);
      machine.rawSet(table, 2, 3);
    });
  }

  /**
   * Adds a function.
   *
   * @param name the name of the field
   * @param function the Java code
   * @return this
   */
  public Registration add(String name, Builtin function) {
    String full = library.equals("_G") ? name : library + "." + name;
    int number = machine.declare(full, function, 0);
    return field(name, d -> newFunction(d, number));
  }

  /** Adds a function of the machine itself. Returns the code number. */
  int addOwn(String name) {
    String full = library.equals("_G") ? name : library + "." + name;
    int number = machine.state().codes.add(full, 0);
    Registration _ = field(name, d -> newFunction(d, number));
    return number;
  }

  private void newFunction(int d, int number) {
    t.newFunction(d, 0, 0);
    t.setFunctionCode(d, number);
  }

  /**
   * Adds a float.
   *
   * @param name the name of the field
   * @param value the value
   * @return this
   */
  public Registration add(String name, double value) {
    return field(name, d -> t.set(d, Values.ofDouble(value)));
  }

  /**
   * Adds an integer.
   *
   * @param name the name of the field
   * @param value the value
   * @return this
   */
  public Registration add(String name, long value) {
    return field(name, d -> machine.setInteger(d, value));
  }

  /**
   * Adds a string.
   *
   * @param name the name of the field
   * @param bytes the string, in ISO 8859-1
   * @return this
   */
  public Registration add(String name, String bytes) {
    return field(name, d -> machine.setString(d, bytes));
  }

  /**
   * Makes the library's table the __index of the metatable of all strings.
   *
   * @return this
   */
  public Registration forStrings() {
    return with(table -> {
      machine.newTable(1);
      machine.setString(2, "__index");
      machine.rawSet(1, 2, table);
      machine.setString(2, "");
      machine.setMetatable(2, 1);
    });
  }

  /**
   * Runs code on the table of the library.
   *
   * @param work gets the slot of the table, in a new frame
   * @return this
   */
  public Registration with(IntConsumer work) {
    if (machine.isRestoring()) {
      return this;
    }
    t.enter(5);
    if (!machine.state().loadBuilt(library, 4)) {
      machine.loadLoaded(0);
      machine.setString(1, library);
      machine.rawGet(4, 0, 1);
      machine.state().build(library, 4);
    }
    work.accept(4);
    t.leave();
    return this;
  }
}
