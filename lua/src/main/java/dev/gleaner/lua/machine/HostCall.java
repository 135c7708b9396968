package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Calls between the host and scripts, and their values. */
public final class HostCall {
  private HostCall() {}

  /**
   * How a call ended.
   *
   * @param failed whether by an error, whose value is in slot 1 then
   * @param count of results, from slot 1 on
   * @param message of the error
   * @param traceback of the error
   * @param exhausted what the heap refused, if the error is that memory ran out
   */
  public record Outcome(
      boolean failed,
      int count,
      String message,
      String traceback,
      @Nullable HeapExhaustedException exhausted) {}

  /** A function of the host. */
  public interface Served {
    /**
     * Does its work.
     *
     * @param arguments as Java values
     * @return results as Java values
     * @throws Exception that becomes an error
     */
    @Nullable Object[] call(@Nullable Object[] arguments) throws Exception;
  }

  /**
   * Calls slot 1 of the frame, with a message handler that keeps the traceback.
   *
   * @param m the machine
   * @param arguments in slots 2 and so on
   * @return how it ended
   */
  public static Outcome call(Machine m, int arguments) {
    Mutator t = m.mutator();
    int depth = t.frameDepth();
    Tracebacks tracebacks = m.tracebacks();
    int handler = m.state().scratch(1);
    m.newBuiltin(handler, "message handler", tracebacks.handler(), 0, 0);
    t.setGlobal(m.state().handler, handler);
    t.resizeFrame(handler);
    try {
      int n = m.call(1, arguments, Return.ALL);
      return new Outcome(false, n, "", "", null);
    } catch (LuaError e) {
      t.leaveTo(depth);
      t.resizeFrame(3);
      HeapExhaustedException exhausted = m.calls().protection().exhausted();
      m.calls().protection().loadError(1);
      return new Outcome(true, 1, message(m), tracebacks.last(), exhausted);
    } finally {
      clearHandler(m);
    }
  }

  private static void clearHandler(Machine m) {
    Mutator t = m.mutator();
    try {
      t.enter(1);
      t.setGlobal(m.state().handler, 0);
      t.leave();
    } catch (HeapException _) {
      // The guest is not usable any more.
    }
  }

  /** As the program lua shows an error value. */
  private static String message(Machine m) {
    Mutator t = m.mutator();
    if (m.isString(1) || m.isNumber(1)) {
      t.copy(2, 1);
      boolean _ = m.toText(2);
      return utf(m.string(2));
    }
    if (m.metamethod(2, 1, "__tostring")) {
      try {
        m.toStringMeta(2, 1);
        return utf(m.string(2));
      } catch (LuaError | LuaLimitException _) {
        // It is described as any other value.
      }
    }
    return "(error object is a " + m.typeName(1) + " value)";
  }

  private static String utf(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /**
   * {@return results as Java values}
   *
   * @param m the machine
   * @param count how many, from slot 1 on
   */
  public static @Nullable Object[] results(Machine m, int count) {
    @Nullable Object[] values = new Object[count];
    for (int i = 0; i < count; i++) {
      values[i] = get(m, i + 1);
    }
    return values;
  }

  /**
   * {@return a value as a Java value}
   *
   * @param m the machine
   * @param s its slot
   */
  public static @Nullable Object get(Machine m, int s) {
    Mutator t = m.mutator();
    long v = t.get(s);
    if (v == Values.UNDEFINED) {
      return null;
    }
    if (Values.isBoolean(v)) {
      return v == Values.TRUE;
    }
    if (Values.isDouble(v)) {
      return Values.toDouble(v);
    }
    if (m.isInteger(s)) {
      return m.integer(s);
    }
    if (m.isString(s)) {
      return utf(m.string(s));
    }
    return m.typeName(s) + ": " + m.address(s);
  }

  /**
   * Stores a Java value.
   *
   * @param m the machine
   * @param d the slot that gets it
   * @param value null, a Boolean, a number or a String
   */
  public static void set(Machine m, int d, @Nullable Object value) {
    Mutator t = m.mutator();
    switch (value) {
      case null -> t.set(d, Values.UNDEFINED);
      case Boolean b -> t.set(d, Values.ofBoolean(b));
      case Double v -> t.set(d, Values.ofDouble(v));
      case Float v -> t.set(d, Values.ofDouble(v));
      case Long v -> m.setInteger(d, v);
      case Integer v -> m.setInteger(d, v);
      case Short v -> m.setInteger(d, v);
      case Byte v -> m.setInteger(d, v);
      case CharSequence s -> {
        byte[] bytes = s.toString().getBytes(StandardCharsets.UTF_8);
        t.newString(d, bytes, 0, bytes.length);
      }
      default -> throw new IllegalArgumentException("no Lua value: " + value.getClass().getName());
    }
  }

  /**
   * Serves a call of a script by a function of the host.
   *
   * @param a the arguments
   * @param function what serves it
   * @return how many results there are
   */
  public static int serve(Arguments a, Served function) {
    Machine m = a.machine();
    @Nullable Object[] arguments = new Object[a.count()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = get(m, i + 1);
    }
    @Nullable Object[] results;
    try {
      results = function.call(arguments);
    } catch (LuaLimitException | HeapException | LuaError e) {
      throw e;
    } catch (Exception e) {
      String text = e.getMessage() == null ? e.getClass().getName() : e.getMessage();
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      throw a.error(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    int x = a.room(results.length, "too many results");
    for (int i = 0; i < results.length; i++) {
      set(m, x + i, results[i]);
    }
    return a.results(x, results.length);
  }
}
