package dev.gleaner.lua;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.SyntaxException;
import dev.gleaner.lua.machine.ExitException;
import dev.gleaner.lua.machine.HostCall;
import dev.gleaner.lua.machine.Limits;
import dev.gleaner.lua.machine.Machine;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A Lua state of its own: globals, libraries, heap, limits. It belongs to the Java thread that
 * opened it; {@link #interrupt} alone may come from another one.
 *
 * <p>Values are Java's: null, {@link Boolean}, {@link Long}, {@link Double}, {@link String} in
 * UTF-8. Anything else that a script returns is described as a string, as {@code tostring} does.
 */
public final class Guest implements AutoCloseable {
  private final Heap heap;
  private final Machine machine;
  private final Limits limits;
  private boolean spent;

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
   * @throws LuaLimitException if a limit on instructions or time is reached, or it is interrupted;
   *     then the guest can only be closed
   * @throws dev.gleaner.refusal.HeapExhaustedException if memory runs out and the script does not
   *     catch that; the guest can be used further
   */
  public @Nullable Object[] run(String text, @Nullable Object... arguments) {
    return run(text.getBytes(StandardCharsets.UTF_8), latin(text), arguments);
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
    byte[] chunk = withoutFirstComment(text);
    return enter(
        first -> {
          machine.loadGlobals(first);
          try {
            machine.load(first, chunk, name, first);
          } catch (SyntaxException e) {
            throw new LuaException(utf(String.valueOf(e.getMessage())), e.getMessage(), "");
          }
        },
        arguments);
  }

  /** A first line that begins with # is for the shell; the numbers of lines stay. */
  private static byte[] withoutFirstComment(byte[] text) {
    if (text.length == 0 || text[0] != '#') {
      return text;
    }
    int end = 0;
    while (end < text.length && text[end] != '\n') {
      end++;
    }
    return Arrays.copyOfRange(text, end, text.length);
  }

  /** Runs a chunk, and prints its results by the global function print. */
  void show(byte[] text, String name) {
    Boolean _ =
        enter(
            first -> {
              machine.loadGlobals(first);
              machine.load(first, text, name, first);
            },
            this::print);
  }

  private Boolean print(int count) {
    if (count > 0) {
      Mutator t = machine.mutator();
      t.resizeFrame(count + 2);
      t.move(2, 1, count);
      global(1, "print");
      HostCall.Outcome outcome = HostCall.call(machine, count);
      if (outcome.failed()) {
        String message = "error calling 'print' (" + outcome.message() + ")";
        throw new LuaException(message, message, "");
      }
    }
    return true;
  }

  /**
   * Calls a global function.
   *
   * @param name of the global
   * @param arguments of the call
   * @return its results
   */
  public @Nullable Object[] call(String name, @Nullable Object... arguments) {
    return enter(first -> global(first, name), arguments);
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

  /** Puts a function into a slot. */
  private interface Loading {
    void load(int d);
  }

  private @Nullable Object[] enter(Loading function, @Nullable Object... arguments) {
    return enter(function, count -> HostCall.results(machine, count), arguments);
  }

  private <T> T enter(Loading function, IntFunction<T> results, @Nullable Object... arguments) {
    if (spent) {
      throw new IllegalStateException("a limit of this guest was reached: it can only be closed");
    }
    Mutator t = machine.mutator();
    int depth = t.frameDepth();
    t.enter(arguments.length + 2); // slot 0 is no function that runs
    try {
      function.load(1);
      for (int i = 0; i < arguments.length; i++) {
        HostCall.set(machine, i + 2, arguments[i]);
      }
      limits.start();
      HostCall.Outcome outcome = HostCall.call(machine, arguments.length);
      if (!outcome.failed()) {
        return results.apply(outcome.count());
      }
      if (outcome.exhausted() != null) {
        throw outcome.exhausted();
      }
      Object value = HostCall.get(machine, 1);
      throw new LuaException(outcome.message(), value, outcome.traceback());
    } catch (LuaLimitException e) {
      spent = true;
      throw e;
    } finally {
      if (!spent && t.frameDepth() > depth) {
        t.leaveTo(depth);
      }
    }
  }

  /**
   * Sets a global variable.
   *
   * @param name of the variable
   * @param value null, a Boolean, a whole number, a Float or Double, or a String
   */
  public void set(String name, @Nullable Object value) {
    inFrame(() -> HostCall.set(machine, 2, value), name);
  }

  /**
   * Sets a global variable to a function of the host.
   *
   * @param name of the variable
   * @param function what it does
   */
  public void set(String name, HostFunction function) {
    Objects.requireNonNull(function, "function");
    inFrame(
        () -> machine.newBuiltin(2, latin(name), a -> HostCall.serve(a, function::call), 2, 0),
        name);
  }

  private void inFrame(Runnable value, String name) {
    Mutator t = machine.mutator();
    t.enter(3);
    try {
      value.run();
      machine.loadGlobals(0);
      machine.setString(1, latin(name));
      machine.rawSet(0, 1, 2);
    } finally {
      t.leave();
    }
  }

  /**
   * {@return a global variable}
   *
   * @param name of the variable
   */
  public @Nullable Object get(String name) {
    Mutator t = machine.mutator();
    t.enter(1);
    try {
      t.set(0, Values.UNDEFINED);
      global(0, name);
      return HostCall.get(machine, 0);
    } finally {
      t.leave();
    }
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

  /** Stops what runs, soon; from any Java thread. */
  public void interrupt() {
    limits.interrupt();
  }

  /** {@return the instructions that have run, with the steps of library functions} */
  public long instructions() {
    return limits.steps();
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
    spent = true;
    limits.close();
    machine.drop();
  }

  /** Calls the finalizers that are left, and gives all memory back. */
  @Override
  public void close() {
    limits.close();
    heap.close();
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static String utf(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
