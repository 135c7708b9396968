package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.Budget;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaMemoryException;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.StackFullException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls between the host and scripts, and their values. */
public final class HostCall {
  /** Bytes of a handle, with its root and texts. */
  private static final int HANDLE = 320;

  private static final String OVERFLOW = "stack overflow";

  private HostCall() {}

  // ---- the host calls ----

  /**
   * Calls a function. Unless a script runs already, the limits for a call of the host begin here.
   *
   * @param m the machine
   * @param function loads the function into a slot
   * @param arguments the arguments, as Java values
   * @return the results, as Java values
   * @throws LuaException if the function throws an error
   */
  public static @Nullable Object[] enter(
      Machine m, IntConsumer function, @Nullable Object... arguments) {
    return enter(m, null, function, arguments);
  }

  /**
   * Calls a function with a budget.
   *
   * @param m the machine
   * @param budget the budget of this call; null for none
   * @param function loads the function into a slot
   * @param arguments the arguments, as Java values
   * @return the results, as Java values
   * @throws LuaException if the function throws an error
   * @throws LuaLimitException if the budget is used up
   */
  public static @Nullable Object[] enter(
      Machine m, @Nullable Budget budget, IntConsumer function, @Nullable Object... arguments) {
    return inside(
        m,
        budget,
        () -> {
          int x = m.state().scratch(arguments.length + 1);
          function.accept(x);
          for (int i = 0; i < arguments.length; i++) {
            set(m, x + 1 + i, arguments[i]);
          }
          int n = m.call(x, arguments.length, Return.ALL);
          return values(m, x, n);
        });
  }

  /**
   * Returns values as Java values. One loan covers all copies: a script can pass one long string a
   * thousand times.
   */
  private static @Nullable Object[] values(Machine m, int first, int n) {
    try (Account.Loan loan = m.account().borrow()) {
      loan.add(Account.array(n, Long.BYTES));
      @Nullable Object[] values = new Object[n];
      for (int i = 0; i < n; i++) {
        int s = first + i;
        if (m.convertsTables() && m.isTable(s)) {
          values[i] = Conversions.collection(m, s, loan);
        } else {
          loan.add(copyOf(m, s));
          values[i] = get(m, s);
        }
      }
      return values;
    }
  }

  /** Returns the most bytes that a value takes as a Java value. */
  static long copyOf(Machine m, int s) {
    if (m.isString(s)) {
      return Account.text(m.mutator().stringBytes(s));
    }
    return Values.isReference(m.mutator().get(s)) ? HANDLE : Account.OBJECT + Long.BYTES;
  }

  /** Runs work that may call scripts, with a message handler that keeps the traceback. */
  static <T extends @Nullable Object> T inside(Machine m, Supplier<T> work) {
    return inside(m, null, work);
  }

  private static <T extends @Nullable Object> T inside(
      Machine m, @Nullable Budget budget, Supplier<T> work) {
    State s = m.state();
    checkUsable(s);
    boolean outermost = m.calls().nested == 0;
    boolean limited = budget != null && !budget.equals(Budget.NONE);
    Limits.Call call = outermost || limited ? s.limits.begin(budget) : null;
    boolean ofHost = !outermost && s.limits.leaveHost();
    try {
      return inside(m, outermost, work);
    } finally {
      if (call != null) {
        s.limits.end(call);
      }
      if (ofHost) {
        s.limits.returnToHost();
      }
    }
  }

  private static <T extends @Nullable Object> T inside(
      Machine m, boolean outermost, Supplier<T> work) {
    State s = m.state();
    Mutator t = m.mutator();
    int depth = -1;
    int size = 0;
    try {
      depth = t.frameDepth();
      size = t.frameSize();
      return inFrames(m, outermost, depth, size, work);
    } catch (HeapExhaustedException e) { // from values of the host
      throw new LuaMemoryException(e, "");
    } catch (StackFullException e) {
      throw new LuaException(OVERFLOW, OVERFLOW, "", e);
    } catch (LuaLimitException e) {
      if (outermost && e.equals(s.stopped) && s.limits.isEnding(e)) {
        throw abandoned(m, depth, size, e); // some frames could not be left one by one
      }
      throw e;
    } catch (GuestException e) {
      throw e;
    } catch (RuntimeException e) {
      // Such as code, frames and closures of a hostile image that do not fit each other.
      if (outermost && m.isOfImage() && e.equals(s.stopped)) {
        throw ended(s, e);
      }
      throw e;
    } catch (StackOverflowError e) {
      s.stopped = e;
      if (!outermost) {
        throw e; // the outermost call has more stack
      }
      LuaLimitException limit = s.limits.ending();
      throw abandoned(
          m, depth, size, limit == null ? new LuaException(OVERFLOW, OVERFLOW, "", e) : limit);
    }
  }

  /**
   * Runs work that calls no script, in a new frame.
   *
   * @param <T> the type of the result
   * @param m the machine
   * @param slots the size of the frame
   * @param work uses the slots from 0 on
   * @return the result of the work
   * @throws LuaMemoryException if memory runs out
   */
  public static <T extends @Nullable Object> T frame(Machine m, int slots, Supplier<T> work) {
    Mutator t = m.mutator();
    int depth = -1;
    try {
      depth = t.frameDepth();
      t.enter(slots);
      try {
        return work.get();
      } finally {
        t.leaveTo(depth);
      }
    } catch (HeapExhaustedException e) {
      throw new LuaMemoryException(e, "");
    } catch (StackFullException | StackOverflowError e) {
      if (depth >= 0) {
        t.leaveTo(depth);
      }
      throw new LuaException(OVERFLOW, OVERFLOW, "", e);
    }
  }

  /** Leaves all running functions, as after the end of the Java stack. The heap checks itself. */
  private static GuestException abandoned(Machine m, int depth, int size, GuestException e) {
    try {
      if (depth >= 0) {
        m.abandon(depth, size);
      }
      m.state().stopped = null;
    } catch (HeapException broken) {
      m.state().stopped = broken;
      broken.addSuppressed(e);
      return ended(m.state(), broken);
    }
    return e;
  }

  /** Throws if the guest is stopped. */
  private static void checkUsable(State s) {
    switch (s.stopped) {
      case null -> {}
      case LuaLimitException e ->
          throw new LuaLimitException(
              e.limit(), e.getMessage() + " before: the guest can only be closed");
      case IllegalStateException e -> throw e; // dropped
      case Throwable e -> throw ended(s, e);
    }
  }

  private static GuestException ended(State s, Throwable by) {
    String why;
    if (by instanceof HeapException) {
      why = String.valueOf(by.getMessage());
    } else if (by instanceof RuntimeException && s.restored != null) {
      why = "its image is damaged"; // the JVM's own exceptions may have no message
    } else {
      why = by.toString();
    }
    return new GuestException("the guest can only be closed: " + why, by);
  }

  private static <T extends @Nullable Object> T inFrames(
      Machine m, boolean outermost, int depth, int size, Supplier<T> work) {
    State s = m.state();
    Mutator t = m.mutator();
    if (outermost) {
      t.enter(1); // no function runs in this frame
      m.calls().begin();
    }
    int own = t.frameDepth();
    int kept = -1;
    try {
      int x = s.scratch(2);
      s.loadHandler(x);
      kept = x;
      m.tracebacks().loadHandler(x + 1);
      s.setHandler(x + 1);
      return work.get();
    } catch (LuaError e) {
      t.leaveTo(own);
      throw failed(m, e);
    } catch (LuaLimitException e) {
      stop(s, e);
      throw e;
    } finally {
      if (s.stopped == null) {
        t.leaveTo(own);
        if (kept >= 0) {
          s.setHandler(kept);
        }
        t.leaveTo(depth);
        t.resizeFrame(size);
      }
    }
  }

  /** Stops the guest after a limit of its life. A limit of a call stops only the call. */
  private static void stop(State s, LuaLimitException e) {
    if (!s.limits.isEnding(e)) {
      s.stopped = e;
    }
  }

  /** Returns the exception for an error, or for a limit that was reached meanwhile. */
  private static GuestException failed(Machine m, LuaError e) {
    try {
      return failure(m, e);
    } catch (LuaLimitException limit) {
      stop(m.state(), limit);
      return limit;
    }
  }

  /** Returns an error of a script as an exception for the host. */
  private static GuestException failure(Machine m, LuaError e) {
    State s = m.state();
    Mutator t = m.mutator();
    int x = s.scratch(2);
    if (e.text != null && !e.handled) {
      String text = utf(e.text);
      return new LuaException(text, text, "", e.origin);
    }
    Protection protection = m.calls().protection();
    if (e.handled) {
      HeapExhaustedException exhausted = protection.exhausted();
      if (exhausted != null) {
        return new LuaMemoryException(exhausted, "");
      }
      protection.loadError(x);
    } else {
      t.getGlobal(x, s.error);
    }
    protection.dropError(x + 1);
    String traceback = m.tracebacks().takeLast();
    try (Account.Loan loan = m.account().borrow()) {
      loan.add(2 * copyOf(m, x));
      Throwable origin = e.handled ? protection.origin() : e.origin;
      return new LuaException(message(m, x), get(m, x), traceback, origin);
    } catch (HeapExhaustedException noRoom) {
      return new LuaMemoryException(noRoom, traceback);
    }
  }

  /** Returns the text that the program lua shows for an error value. Overwrites the next slot. */
  private static String message(Machine m, int x) {
    Mutator t = m.mutator();
    if (m.isString(x) || m.isNumber(x)) {
      t.copy(x + 1, x);
      boolean _ = m.toText(x + 1);
      return utf(m.string(x + 1));
    }
    if (m.metamethod(x + 1, x, "__tostring")) {
      int size = t.frameSize();
      int depth = t.frameDepth();
      try {
        m.toStringMeta(x + 1, x);
        return utf(m.string(x + 1));
      } catch (LuaError | StackFullException _) {
        t.leaveTo(depth); // the text below describes the value
        t.resizeFrame(size);
        t.set(x + 1, Values.UNDEFINED);
        m.calls().protection().dropError(x + 1);
      }
    }
    return "(error object is a " + m.typeName(x) + " value)";
  }

  private static String utf(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  // ---- values ----

  /**
   * {@return the Java value of a slot}
   *
   * @param m the machine
   * @param s the slot
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
    return m.userdata(s) instanceof HostObject o ? o.value() : m.handles().make(s);
  }

  /**
   * Stores a Java value.
   *
   * @param m the machine
   * @param d the slot of the result
   * @param value null, a Boolean, a number, a String or bytes, a value of the guest, a function, an
   *     object whose class has a metatable, or a collection, map or array of such values
   */
  public static void set(Machine m, int d, @Nullable Object value) {
    set(m, d, "?", value);
  }

  /**
   * Stores a Java value.
   *
   * @param m the machine
   * @param d the slot of the result
   * @param name the name if the value is a function, in ISO 8859-1
   * @param value null, a Boolean, a number, a String or bytes, a value of the guest, a function, an
   *     object whose class has a metatable, or a collection, map or array of such values
   */
  public static void set(Machine m, int d, String name, @Nullable Object value) {
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
      case byte[] v -> t.newString(d, v, 0, v.length);
      case String text -> text(t, d, text);
      case Handle handle -> handle.load(m, d);
      case HostRoutine routine -> m.newHostRoutine(d, name, routine);
      case HostFunction function -> m.newHostFunction(d, name, function);
      default -> {
        if (!m.newUserdata(d, value)) {
          if (Conversions.isContainer(value)) {
            Conversions.load(m, d, name, value);
          } else if (value instanceof CharSequence text) {
            text(t, d, text.toString());
          } else {
            throw new IllegalArgumentException("no Lua value: " + value.getClass().getName());
          }
        }
      }
    }
  }

  /**
   * Stores a new table with the values of a container.
   *
   * @param m the machine
   * @param d the slot of the result
   * @param container a collection, a map or an array
   */
  public static void setTable(Machine m, int d, Object container) {
    if (!Conversions.isContainer(container)) {
      throw new IllegalArgumentException("no container: " + container.getClass().getName());
    }
    Conversions.load(m, d, "?", container);
  }

  private static void text(Mutator t, int d, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    t.newString(d, bytes, 0, bytes.length);
  }

  // ---- scripts call ----

  /** A function of the host, as one of a library. */
  private record Served(Machine machine, HostFunction made) implements Builtin, HostMade {
    @Override
    public int call(Arguments a) {
      return serve(machine, a, made);
    }
  }

  /** Returns a function of the host as one of a library. */
  static Builtin builtin(Machine m, HostFunction function) {
    return new Served(m, function);
  }

  /** The host, as a machine's calls of routines see it. */
  private record Side(Machine machine) implements Host {
    @Override
    public @Nullable Object get(int s) {
      return HostCall.get(machine, s);
    }

    @Override
    public @Nullable Object object(int s) {
      return machine.userdata(s) instanceof HostObject o ? o.value() : null;
    }

    @Override
    public void set(int d, @Nullable Object value) {
      HostCall.set(machine, d, value);
    }

    @Override
    public <T> T serve(Callable<T> work) {
      return HostCall.serve(machine, work);
    }

    @Override
    public <T extends @Nullable Object> T run(Callable<T> code) throws Exception {
      return inHost(machine, code);
    }
  }

  /** Returns the host for the calls of a machine. */
  static Host host(Machine m) {
    return new Side(m);
  }

  /**
   * Calls a function of the host for a script.
   *
   * @param m the machine
   * @param a the arguments
   * @param function the function of the host
   * @return the number of results
   */
  private static int serve(Machine m, Arguments a, HostFunction function) {
    int n = a.count();
    return serve(
        m,
        () -> {
          @Nullable Object[] arguments = values(m, 1, n);
          @Nullable Object[] results = inHost(m, () -> function.call(arguments));
          int x = a.room(results.length, "too many results");
          for (int i = 0; i < results.length; i++) {
            set(m, x + i, results[i]);
          }
          return a.results(x, results.length);
        });
  }

  private static <T> T serve(Machine m, Callable<T> work) {
    int mark = m.handles().enter();
    try {
      return guarded(m, work);
    } finally {
      m.handles().leave(mark);
    }
  }

  /** Runs code of the host. An interrupt of the guest wakes the thread meanwhile. */
  private static <T extends @Nullable Object> T inHost(Machine m, Callable<T> work)
      throws Exception {
    Limits limits = m.state().limits;
    limits.enterHost();
    try {
      return work.call();
    } finally {
      boolean _ = limits.leaveHost();
    }
  }

  /**
   * Turns exceptions of the host into errors of the script. The exception of a limit passes on to
   * the call that the limit ends.
   */
  private static <T> T guarded(Machine m, Callable<T> work) {
    Limits limits = m.state().limits;
    int before = limits.reached();
    try {
      T result = work.call();
      checkRuns(m, before, null);
      return result;
    } catch (LuaMemoryException e) { // from a call within the function
      checkRuns(m, before, e);
      throw e.exhausted();
    } catch (HeapException | LuaError | ExitException e) {
      throw e;
    } catch (StackOverflowError e) {
      checkRuns(m, before, null);
      LuaError error = new LuaError(m.where(1) + OVERFLOW);
      error.origin = e;
      throw error;
    } catch (InterruptedException e) {
      if (!limits.isInterrupted()) {
        Thread.currentThread().interrupt(); // meant for code outside
      }
      checkRuns(m, before, e);
      throw error(m, e);
    } catch (Exception e) {
      if (limits.isEnding(e) && e instanceof LuaLimitException limit) {
        throw limit;
      }
      checkRuns(m, before, e);
      throw error(m, e);
    }
  }

  /** Throws again an exception that the host must not catch. Checks for an interrupt. */
  private static void checkRuns(Machine m, int before, @Nullable Exception thrown) {
    switch (m.state().stopped) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
    Limits limits = m.state().limits;
    LuaLimitException ending = limits.ending();
    if (ending != null && limits.reached() > before) {
      throw ending;
    }
    limits.checkInterrupt(thrown);
  }

  private static LuaError error(Machine m, Exception e) {
    if (e instanceof LuaException x) {
      int d = m.state().scratch(1);
      try {
        set(m, d, x.value());
        LuaError error = m.error(d);
        error.origin = x.getCause() == null ? x : x.getCause();
        return error;
      } catch (IllegalArgumentException | IllegalStateException _) {
        // The value is another guest's, or was given up. The message goes on without the value.
      }
    }
    String text = e.getMessage() == null ? e.getClass().getName() : e.getMessage();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    LuaError error = new LuaError(m.where(1) + new String(bytes, StandardCharsets.ISO_8859_1));
    error.origin = e;
    return error;
  }
}
