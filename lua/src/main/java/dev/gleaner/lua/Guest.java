package dev.gleaner.lua;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.SyntaxException;
import dev.gleaner.lua.machine.ExitException;
import dev.gleaner.lua.machine.HostCall;
import dev.gleaner.lua.machine.Limits;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.MachineSaver;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Lua state of its own: globals, libraries, heap, limits. It belongs to the Java thread that
 * opened it; {@link #interrupt} alone may come from another one.
 *
 * <p>Values are Java's: null, {@link Boolean}, {@link Long}, {@link Double}, {@link String} in
 * UTF-8, objects of the host that scripts have as userdata. Anything else that a script returns is
 * a {@link LuaValue}; tables are lists and maps if {@code gleaner.lua.convert-tables} says so.
 */
public final class Guest implements AutoCloseable {
  private final Heap heap;
  private final Machine machine;
  private final Limits limits;

  Guest(Heap heap, Machine machine, Limits limits) {
    this.heap = heap;
    this.machine = machine;
    this.limits = limits;
  }

  /**
   * Runs a chunk.
   *
   * @param text of the chunk; the first line of it is its name in messages
   * @param arguments what {@code ...} is
   * @return its results
   * @throws LuaException if it is no Lua, or has an error that it does not catch
   * @throws LuaLimitException if a limit of the guest's life is reached, after which the guest can
   *     only be closed; if a limit of each call is reached, or the call is interrupted, after which
   *     the guest can be used again
   * @throws LuaMemoryException if memory runs out and the script does not catch that; the guest can
   *     be used further
   */
  public @Nullable Object[] run(String text, @Nullable Object... arguments) {
    return run(text.getBytes(StandardCharsets.UTF_8), latin(text), arguments);
  }

  /**
   * Runs a chunk with a budget.
   *
   * @param text of the chunk; the first line of it is its name in messages
   * @param budget of this call: what compiling takes, and running
   * @param arguments what {@code ...} is
   * @return its results
   * @throws LuaLimitException if the budget is used up. No script catches that. Variables to be
   *     closed are closed, with a grace; then the guest can be used again
   */
  public @Nullable Object[] run(String text, Budget budget, @Nullable Object... arguments) {
    return run(text.getBytes(StandardCharsets.UTF_8), latin(text), budget, arguments);
  }

  /**
   * Runs a script that was parsed before.
   *
   * @param script what {@link Lua#prepare} made
   * @param arguments what {@code ...} is
   * @return its results
   */
  public @Nullable Object[] run(Script script, @Nullable Object... arguments) {
    return run(script, Budget.NONE, arguments);
  }

  /**
   * Runs a script that was parsed before, with a budget.
   *
   * @param script what {@link Lua#prepare} made
   * @param budget of this call
   * @param arguments what {@code ...} is
   * @return its results
   * @throws LuaLimitException if the budget is used up; the guest can be used again
   */
  public @Nullable Object[] run(Script script, Budget budget, @Nullable Object... arguments) {
    return HostCall.enter(
        machine,
        Objects.requireNonNull(budget, "budget"),
        d -> {
          machine.loadGlobals(d);
          machine.load(d, script.main(), d);
        },
        arguments);
  }

  /**
   * Runs a chunk.
   *
   * @param text all of its bytes; a first line that begins with # is passed over
   * @param name as messages have it: "@file", or "=name"
   * @param arguments what {@code ...} is
   * @return its results
   */
  public @Nullable Object[] run(byte[] text, String name, @Nullable Object... arguments) {
    return run(text, name, Budget.NONE, arguments);
  }

  /**
   * Runs a chunk with a budget.
   *
   * @param text all of its bytes; a first line that begins with # is passed over
   * @param name as messages have it: "@file", or "=name"
   * @param budget of this call: what compiling takes, and running
   * @param arguments what {@code ...} is
   * @return its results
   * @throws LuaLimitException if the budget is used up; the guest can be used again
   */
  public @Nullable Object[] run(
      byte[] text, String name, Budget budget, @Nullable Object... arguments) {
    byte[] body = body(text, name);
    return HostCall.enter(
        machine, Objects.requireNonNull(budget, "budget"), d -> load(d, body, name), arguments);
  }

  /** Returns a chunk without a first line for the shell. */
  private static byte[] body(byte[] text, String name) {
    byte[] body = Script.withoutFirstComment(text);
    if (body.length > Compiler.MOST_TEXT) {
      Script _ = Script.parse(text, name); // which refuses it
    }
    return body;
  }

  private void load(int d, byte[] body, String name) {
    machine.loadGlobals(d);
    try {
      machine.load(d, body, name, d);
    } catch (SyntaxException e) {
      throw Script.failure(e);
    }
  }

  /**
   * Runs a script whose global variables are the fields of another table.
   *
   * @param environment what {@code _ENV} is, a table of this guest
   * @param script what {@link Lua#prepare} made
   * @param arguments what {@code ...} is
   * @return its results
   */
  public @Nullable Object[] runIn(
      LuaValue environment, Script script, @Nullable Object... arguments) {
    return runIn(environment, script, Budget.NONE, arguments);
  }

  /**
   * Runs a script whose global variables are the fields of another table, with a budget.
   *
   * @param environment what {@code _ENV} is, a table of this guest
   * @param script what {@link Lua#prepare} made
   * @param budget of this call
   * @param arguments what {@code ...} is
   * @return its results
   * @throws LuaLimitException if the budget is used up; the guest can be used again
   */
  public @Nullable Object[] runIn(
      LuaValue environment, Script script, Budget budget, @Nullable Object... arguments) {
    return HostCall.enter(
        machine,
        Objects.requireNonNull(budget, "budget"),
        d -> {
          HostCall.set(machine, d, environment);
          machine.load(d, script.main(), d);
        },
        arguments);
  }

  /**
   * Runs a chunk as a coroutine that the guest keeps, in place of another one: at the top of the
   * chunk it may yield. Then the guest is parked, and can be saved. {@link #wake} goes on.
   *
   * @param text all bytes of the chunk; a first line that begins with # is passed over
   * @param name as messages have it: "@file", or "=name"
   * @param arguments what {@code ...} is
   * @return what the chunk yields, or its results
   */
  public @Nullable Object[] start(byte[] text, String name, @Nullable Object... arguments) {
    byte[] body = body(text, name);
    return HostCall.enter(
        machine,
        d -> {
          load(d, body, name);
          machine.park(d);
        },
        arguments);
  }

  /**
   * {@return whether a chunk that {@link #start} has begun is parked: it has yielded, and has not
   * ended}
   */
  public boolean isParked() {
    return HostCall.frame(machine, 1, () -> machine.loadParked(0));
  }

  /**
   * Goes on with the chunk that {@link #start} has begun, in this guest or in the one that was
   * saved.
   *
   * @param values what its yield returns
   * @return what it yields next, or its results
   * @throws IllegalStateException if no chunk is parked
   */
  public @Nullable Object[] wake(@Nullable Object... values) {
    if (!isParked()) {
      throw new IllegalStateException("no chunk is parked");
    }
    return HostCall.enter(
        machine,
        d -> {
          boolean _ = machine.loadParked(d);
        },
        values);
  }

  /**
   * Saves the guest, as {@link #image(GuestBindings)} does without objects of the host.
   *
   * @return the image
   */
  public Image image() {
    return image(new GuestBindings());
  }

  /**
   * Saves what the guest holds: globals, metatables, libraries as scripts have changed them, loaded
   * code, coroutines that are suspended anywhere but in a function of the host, the state of {@code
   * math.random}. A full collection comes first, and {@code __gc} of what is due runs. Not in the
   * image are hooks, values that only the host holds, and compiled functions, which come back by
   * use. The guest stays open and can be used further.
   *
   * @param bindings names the objects of the host that scripts have as userdata
   * @return the image
   * @throws IllegalStateException if a script of this guest runs
   * @throws dev.gleaner.refusal.ImageException if something has no name, such as an open file; the
   *     message has the path from a root
   * @throws LuaMemoryException if there is no room for some 200 bytes
   * @throws LuaLimitException if {@code __gc} of what is due reaches a limit of a call or of the
   *     guest
   */
  public Image image(GuestBindings bindings) {
    return new Image(MachineSaver.save(machine, bindings.bound()));
  }

  /**
   * Saves the guest, and closes it, as {@link #park(GuestBindings)} does without objects of the
   * host.
   *
   * @return the image
   */
  public Image park() {
    return park(new GuestBindings());
  }

  /**
   * Saves the guest, and closes it. No {@code __gc} is called: what the guest held lives on in the
   * image. If the guest cannot be saved, it stays open.
   *
   * @param bindings as for {@link #image(GuestBindings)}
   * @return the image
   */
  public Image park(GuestBindings bindings) {
    Image image = image(bindings);
    machine.forgetFinalizers();
    close();
    return image;
  }

  /** Returns memory that scripts of this guest cannot use up. */
  Reserve reserve() {
    return new Reserve(machine.heap());
  }

  /** Runs a chunk, and prints its results by the global function print. */
  void show(byte[] text, String name, Reserve reserve) {
    @Nullable Object[] results =
        HostCall.enter(
            machine,
            Budget.NONE,
            d -> {
              reserve.giveBack();
              load(d, text, name);
              reserve.take();
            });
    if (results.length > 0) {
      try {
        @Nullable Object[] _ = call("print", results);
      } catch (LuaException e) {
        String message = "error calling 'print' (" + e.getMessage() + ")";
        throw new LuaException(message, message, "");
      }
    }
  }

  /**
   * Calls a global function.
   *
   * @param name of the global
   * @param arguments of the call
   * @return its results
   */
  public @Nullable Object[] call(String name, @Nullable Object... arguments) {
    return call(name, Budget.NONE, arguments);
  }

  /**
   * Calls a global function with a budget.
   *
   * @param name of the global
   * @param budget of this call
   * @param arguments of the call
   * @return its results
   * @throws LuaLimitException if the budget is used up; the guest can be used again
   */
  public @Nullable Object[] call(String name, Budget budget, @Nullable Object... arguments) {
    return HostCall.enter(
        machine, Objects.requireNonNull(budget, "budget"), d -> global(d, name), arguments);
  }

  private void global(int d, String name) {
    Mutator t = machine.mutator();
    machine.loadGlobals(d);
    int size = t.frameSize();
    t.resizeFrame(size + 1);
    machine.setString(size, latin(name));
    machine.rawGet(d, d, size);
    t.resizeFrame(size);
  }

  /**
   * Sets a global variable.
   *
   * @param name of the variable
   * @param value null, a Boolean, a whole number, a Float or Double, a String, the bytes of one, a
   *     {@link LuaValue} of this guest, a {@link HostFunction} or {@link HostRoutine}, an object
   *     whose class has a metatable, or a Collection, a Map or an array of these, of which a new
   *     table is made. In that, index i is the key i + 1, and null is no entry
   * @throws IllegalArgumentException if it is anything else; if a container contains itself, or is
   *     100 deep; if a key is null, NaN or a container, or two keys are the same one in Lua
   */
  public void set(String name, @Nullable Object value) {
    inFrame(() -> HostCall.set(machine, 2, latin(name), value), name);
  }

  /**
   * Sets a global variable to a function of the host.
   *
   * @param name of the variable
   * @param function what it does
   */
  public void set(String name, HostFunction function) {
    set(name, (Object) Objects.requireNonNull(function, "function"));
  }

  /**
   * Sets a global variable to a routine of the host, which may yield.
   *
   * @param name of the variable
   * @param routine what it does
   */
  public void define(String name, HostRoutine routine) {
    set(name, (Object) Objects.requireNonNull(routine, "routine"));
  }

  /** {@return a new table} */
  public LuaValue newTable() {
    return made(() -> machine.newTable(0));
  }

  /**
   * {@return a new table with what a container has}
   *
   * @param container a Collection, a Map or an array, as {@link #set(String, Object)} takes them
   * @throws IllegalArgumentException if it is none, or has what is no Lua value
   */
  public LuaValue newTable(Object container) {
    return made(() -> HostCall.setTable(machine, 0, container));
  }

  /**
   * {@return a new userdata, which stands for an object of the host} It has one user value.
   *
   * @param value the object, as scripts' results and arguments have it
   * @param metatable a table of this guest, or null for none
   * @param release told once, when the userdata is reclaimed or the guest is closed; it does not
   *     use the guest; null for nobody
   */
  public LuaValue newUserdata(
      Object value, @Nullable LuaValue metatable, @Nullable Consumer<Object> release) {
    Objects.requireNonNull(value, "value");
    return made(() -> machine.newUserdata(0, value, metatable, release));
  }

  /**
   * Lets objects of a class be values of this guest: each becomes a new userdata.
   *
   * @param type the class, or an interface that classes implement by themselves
   * @param metatable a table of this guest; __gc is in it before, if at all
   * @param release told once for each userdata, when it is reclaimed or the guest is closed; null
   *     for nobody
   */
  public void setMetatable(Class<?> type, LuaValue metatable, @Nullable Consumer<Object> release) {
    machine.setClass(type, metatable, release);
  }

  private LuaValue made(Runnable value) {
    return HostCall.frame(
        machine,
        1,
        () -> {
          value.run();
          return machine.handle(0);
        });
  }

  private void inFrame(Runnable value, String name) {
    Object _ =
        HostCall.frame(
            machine,
            3,
            () -> {
              value.run();
              machine.loadGlobals(0);
              machine.setString(1, latin(name));
              machine.rawSet(0, 1, 2);
              return name;
            });
  }

  /**
   * {@return a global variable}
   *
   * @param name of the variable
   */
  public @Nullable Object get(String name) {
    return HostCall.frame(
        machine,
        1,
        () -> {
          machine.mutator().set(0, Values.UNDEFINED);
          global(0, name);
          return HostCall.get(machine, 0);
        });
  }

  /**
   * Makes the table {@code arg}, as the program {@code lua} has it.
   *
   * @param program at index 0
   * @param arguments at 1 and so on
   */
  public void setArguments(String program, String... arguments) {
    inFrame(
        () -> {
          machine.newTable(2);
          for (int i = 0; i <= arguments.length; i++) {
            HostCall.set(machine, 0, i == 0 ? program : arguments[i - 1]);
            machine.rawSet(2, (long) i, 0);
          }
        },
        "arg");
  }

  /**
   * {@return the status with which a script ends the program by {@code os.exit}; 0 if it does not}
   *
   * @param work runs scripts in this guest, one that was opened as a program
   */
  public int exitStatus(Runnable work) {
    try {
      work.run();
      return 0;
    } catch (ExitException e) {
      return e.status();
    }
  }

  /**
   * Ends the call that runs, soon, by a {@link LuaLimitException}; if none runs, the next one. Any
   * Java thread may come here. A function of the host that runs is woken: its thread is
   * interrupted, and is not interrupted any more when the function has returned. The guest can be
   * used again.
   */
  public void interrupt() {
    limits.interrupt();
  }

  /**
   * Forgets an {@link #interrupt} that came when no call ran, as a pool does when it takes a guest
   * back.
   *
   * @return whether there was one
   */
  public boolean clearInterrupt() {
    return limits.clearInterrupt();
  }

  /** {@return the instructions that have run, with the steps of library functions} */
  public long instructions() {
    return limits.steps();
  }

  /** {@return figures of the compiled functions that count for this guest; from any thread} */
  public CompiledFunctions compiled() {
    return machine.compiled();
  }

  /** The limits, for measurements. */
  Limits limits() {
    return limits;
  }

  /** {@return the figures of the heap} */
  public HeapStatistics statistics() {
    return heap.statistics();
  }

  /** {@return the heap, for its listeners, meters and snapshots} */
  public Heap heap() {
    return heap;
  }

  /**
   * Drops all that scripts have made, and calls the finalizers of it. The guest can only be closed
   * then; what its heap still holds are elements that the collector did not find.
   */
  public void drop() {
    limits.close();
    machine.drop();
  }

  /**
   * Calls the finalizers that are left, and gives all memory back. Closing again does nothing. Any
   * Java thread may close a guest whose own Java thread has ended, such as a watchdog or a shutdown
   * hook.
   *
   * @throws WrongThreadException if the guest belongs to another Java thread, which has not ended
   */
  @Override
  public void close() {
    if (heap.isClosed()) {
      return;
    }
    heap.claim();
    try {
      limits.close();
      machine.close();
    } finally {
      heap.close();
      machine.tellWhatDidNotRun();
    }
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
