package dev.gleaner.lua.machine;

import dev.gleaner.heap.DeadSlots;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.ThreadState;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.StackFullException;
import java.util.Objects;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Errors, protected calls and coroutines. The frames of these library functions wait for a call
 * without a Java frame.
 *
 * <pre>
 *   slot 0   the function: pcall, xpcall, resume, wrap, yield or close
 *   slot 1   the return word of the function
 *   slot 2   the message handler before the call
 *   slot 3   pcall, xpcall, yield: the called function, then results; others: the coroutine
 *   slot 4   resume, wrap, close: values
 * </pre>
 *
 * <p>An error leaves frame after frame, and closes variables on its way. It stops at a protected
 * call, at the bottom of a coroutine, or at the frame from which Java code called.
 *
 * <p>A limit of a call leaves frames in the same way, but no protected call catches the limit, and
 * coroutines die. Variables are closed by ordinary calls; errors of these calls are caught. The run
 * keeps the place to which such a call returns. When the grace for closing is used up, the limit is
 * thrown again, and variables stay open.
 */
final class Protection {
  private static final int INFO = Levels.INFO;
  private static final int HANDLER = 2;
  static final int VALUES = 3;
  private static final int COROUTINE = 3;
  private static final int PASSED = 4;

  /** The slot of a coroutine's function in the frame at the bottom. */
  private static final int BODY = 1;

  /** The depth of that frame: one below has no slots. */
  static final int BOTTOM = 1;

  /**
   * The most calls in each other of Java code, of functions that wait, of metamethods and of loops.
   * It is that of PUC Lua, whose C stack such calls take.
   */
  private static final int MOST_NESTED = 198;

  /** The bits of a level where a frame keeps it. */
  private static final int LEVEL_BITS = 12;

  /** The most such calls where a handler of that overflow runs. */
  private static final int MOST_NESTED_IN_HANDLER = 217;

  private static final String DEEP = "C stack overflow";

  /** The message of an error that no handler sees: handlers have failed too often. */
  static final String HOPELESS = "error in error handling";

  private final State s;
  private final Strings strings;
  private final Levels levels;
  private final Messages messages;
  private final Builtins builtins;
  private final Arguments arguments;
  private final Calls calls;
  private final Mutator t;
  private int pcall = -1;
  private int xpcall = -1;
  private int resume = -1;
  private int wrap = -1;
  private int yield = -1;

  /** The running coroutine; null for the main program. */
  private @Nullable Coroutine current;

  private Run run = new Run(null, 0, null);

  /** The frames beyond the limit of depth that the running message handler began with. */
  private int margin;

  private int argumentCount;
  private int wanted;

  /**
   * The calls in each other that nest on no Java stack. Frames of functions that wait keep the
   * level before; calls of metamethods and by loops are counted down as they return.
   */
  private int level;

  /** The level at which an error closes variables: that of the innermost call that catches it. */
  private int outset;

  /** The run that closes a variable by a function that may return at once. */
  private @Nullable Run closing;

  private boolean closed;

  /** Whether memory ran out. Such an error has no value of its own. */
  private boolean memory;

  private @Nullable HeapExhaustedException exhausted;

  /** The exception of a function of the host, if the current error came from there. */
  private @Nullable Throwable origin;

  Protection(Parts parts, Calls calls) {
    this.s = parts.state;
    this.strings = parts.strings;
    this.levels = parts.levels;
    this.messages = parts.messages;
    this.builtins = parts.builtins;
    this.arguments = parts.arguments;
    this.calls = calls;
    this.t = s.t;
  }

  /** A call from Java code: the coroutine and the frame of the caller. */
  static final class Run {
    final @Nullable Coroutine coroutine;
    final int depth;

    /** The run around this one. */
    private final @Nullable Run outer;

    /** The limit that leaves the frames, with the frame whose variable is being closed. */
    private @Nullable LuaLimitException limit;

    private @Nullable Coroutine limitIn;
    private int limitDepth;

    Run(@Nullable Coroutine coroutine, int depth, @Nullable Run outer) {
      this.coroutine = coroutine;
      this.depth = depth;
      this.outer = outer;
    }
  }

  /** Sets the code numbers of the functions. */
  void register(int pcallCode, int xpcallCode, int resumeCode, int wrapCode, int yieldCode) {
    levels.setCatching(pcallCode, xpcallCode);
    pcall = pcallCode;
    xpcall = xpcallCode;
    resume = resumeCode;
    wrap = wrapCode;
    yield = yieldCode;
  }

  /** The running coroutine; null for the main program. */
  @Nullable Coroutine current() {
    return current;
  }

  int wrapCode() {
    return wrap;
  }

  Run enterRun() {
    Run outer = run;
    outset = level;
    run = new Run(current, t.frameDepth(), outer);
    return outer;
  }

  void leaveRun(Run outer) {
    run = outer;
  }

  /** Returns whether Java code may have called from a frame of a coroutine. */
  boolean isBase(@Nullable Coroutine in, int depth) {
    for (Run r = run; r != null; r = r.outer) {
      if (r.depth == depth && Objects.equals(r.coroutine, in)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether all frames above the calling Java code are left. */
  boolean isAtBottom() {
    return run.coroutine == current && t.frameDepth() == run.depth;
  }

  /** Runs a call without a message handler. The handler is in force again afterwards. */
  int withoutHandler(IntSupplier call) {
    int kept = s.scratch(2);
    s.loadHandler(kept);
    s.setHandler(kept + 1);
    Coroutine caller = current;
    int depth = t.frameDepth();
    try {
      return call.getAsInt();
    } finally {
      // Otherwise a limit was reached, and no script runs any more.
      if (Objects.equals(current, caller) && t.frameDepth() == depth) {
        s.setHandler(kept);
      }
    }
  }

  // ---- functions that wait ----

  /** Returns the number of arguments of the function in a protected call. */
  int arguments() {
    return argumentCount;
  }

  /** Returns the number of results that the waiting function wants. */
  int wanted() {
    return wanted;
  }

  /** Prepares the call of a library function that waits, and passes the results on. */
  void prepare(int function, int n, int results) {
    int size = VALUES + Math.max(n + 1, results);
    if (t.frameSize() < size) {
      t.resizeFrame(size);
    }
    t.move(VALUES, function, n + 1);
    t.resizeFrame(size);
    argumentCount = n;
    wanted = results;
    if (isDeep()) {
      throw deep();
    }
  }

  /** Has a library function wait for the call that the function has prepared. */
  void await(long r) {
    s.setCode(null);
    t.set(INFO, Values.UNDEFINED);
    s.loadHandler(HANDLER);
    keepLevel(r);
  }

  /** Returns whether the results of the call are those of the waiting function. */
  boolean passesOn() {
    int number = t.functionCode(0);
    return number >= 0 && builtins.get(number) != null;
  }

  /** Returns the level, for {@link #restoreLevel}. */
  int level() {
    return level | outset << LEVEL_BITS;
  }

  /**
   * Restores a level that {@link #level} returned, in the same coroutine or where it is resumed.
   */
  void restoreLevel(int kept) {
    level = Math.max(floor(), kept & (1 << LEVEL_BITS) - 1);
    outset = Math.max(floor(), kept >>> LEVEL_BITS);
  }

  /** Returns the level with which the coroutine was resumed. */
  private int floor() {
    return current == null ? 0 : current.level;
  }

  /** Counts a call of a metamethod, of a function that closes a variable, or by a loop. */
  void nest() {
    if (isDeep()) {
      throw deep();
    }
    level++;
  }

  /** Ends a call that counts if its return word says so. */
  void unnest(long r) {
    if (Return.kind(r) == Return.NESTED) {
      unnest();
    }
  }

  /** Ends a call that counts. */
  void unnest() {
    if (level > floor()) {
      level--;
    }
  }

  private int nested() {
    return calls.nested + level;
  }

  /**
   * Returns whether no more calls of functions that wait, or of Java code, may nest. Only the
   * handler of this error has more.
   */
  boolean isDeep() {
    return nested() == MOST_NESTED || nested() >= MOST_NESTED_IN_HANDLER;
  }

  /** Returns the error where calls are too deep. */
  LuaError deep() {
    return nested() >= MOST_NESTED_IN_HANDLER ? new LuaError(HOPELESS) : messages.error(DEEP);
  }

  /** Begins a function. Returns false if the function in slot VALUES must be called. */
  boolean start(int number, int n, long r) {
    s.setCode(null);
    HostRoutine host = s.codes.hosts[number];
    if (host != null) {
      return startHost(host, n, r);
    }
    if (number == pcall) {
      if (n == 0) {
        arguments.begin(0);
        throw arguments.argumentError(1, "value expected");
      }
      if (isDeep()) { // the call that this one catches is too deep
        setError(deep());
        level = caughtAt(level);
        finishCaught(r);
        return true;
      }
      t.resizeFrame(n + VALUES);
      t.move(VALUES, 1, n);
      keep(r, -1);
      outset = caughtAt(level - 1);
      argumentCount = n - 1;
      wanted = Return.ALL;
      return false;
    } else if (number == xpcall) {
      arguments.begin(n);
      if (n < 2 || t.functionCode(2) < 0) {
        LuaError e = arguments.typeError(2, "function");
        t.resizeFrame(n + 2);
        t.set(INFO, Values.UNDEFINED); // now this frame catches no error
        throw e;
      }
      LuaError tooDeep = isDeep() ? deep() : null;
      if (tooDeep != null && !leavesStack()) {
        t.set(INFO, Values.UNDEFINED); // now this frame catches no error
        throw tooDeep;
      }
      t.resizeFrame(n + 3);
      t.copy(n + 2, 2);
      t.move(VALUES + 1, 3, n - 2);
      t.copy(VALUES, 1);
      int handler = n + 2;
      keep(r, handler);
      outset = caughtAt(level - 1);
      t.resizeFrame(handler);
      if (tooDeep != null) {
        throw tooDeep; // this frame catches the error
      }
      argumentCount = n - 2;
      wanted = Return.ALL;
      return false;
    } else if (number == yield) {
      startYield(n, r);
    } else if (number == wrap) {
      t.resizeFrame(n + PASSED);
      t.move(PASSED, 1, n);
      t.loadConstant(COROUTINE, 0, 0);
      keep(r, -1);
      startResume(n);
    } else {
      arguments.begin(n);
      if (n == 0 || Types.of(t, 1) != Types.THREAD) {
        throw arguments.typeError(1, "thread");
      }
      t.resizeFrame(n + VALUES);
      t.move(VALUES, 1, n);
      keep(r, -1);
      if (number == resume) {
        startResume(n - 1);
      } else {
        startClose();
      }
    }
    return true;
  }

  private boolean startHost(HostRoutine host, int n, long r) {
    HostCalls hosts = calls.hosts();
    int end = hosts.start(host, n, r);
    if (end == HostCalls.RETURNS) {
      calls.finish(hosts.first, hosts.count, hosts.ret);
    }
    argumentCount = hosts.count;
    wanted = Return.ALL;
    return end != HostCalls.CALLS;
  }

  /** Saves the handler in force and the return word, and sets another handler or none. */
  private void keep(long r, int handler) {
    s.loadHandler(HANDLER);
    if (handler >= 0) {
      s.setHandler(handler);
    } else {
      s.clearHandler(INFO);
    }
    keepLevel(r);
  }

  /**
   * Returns the level at which an error that this call catches closes variables, and the program
   * goes on. Where PUC Lua has left all of its C stack by then, the level begins anew.
   *
   * @param before the level before this call
   */
  private int caughtAt(int before) {
    return leavesStack() ? floor() : before;
  }

  /**
   * Returns whether an error leaves all of the C stack in PUC Lua: in coroutines that may yield.
   */
  private boolean leavesStack() {
    return current != null && current.nested == calls.nested;
  }

  private void keepLevel(long r) {
    t.set(INFO, Return.save(level(), r));
    level++;
  }

  /** Ends a protected call that has caught an error. */
  private void finishCaught(long r) {
    t.resizeFrame(PASSED);
    t.set(HANDLER, Values.FALSE);
    loadError(VALUES);
    dropError(HANDLER);
    memory = false;
    calls.finish(HANDLER, 2, r);
  }

  /** Restores the handler, and returns the return word. */
  private long restore() {
    s.setHandler(HANDLER);
    long saved = t.get(INFO);
    restoreLevel(Return.pc(saved));
    if (s.hooked) {
      t.set(INFO, Values.UNDEFINED); // an error of the return hook is not this call's to catch
    }
    return Return.of(saved);
  }

  /** Ends a call whose function returned. Returns the return word of the waiting function. */
  long goOn() {
    s.setCode(null);
    int inside = level;
    long r = restore();
    level = Math.min(level, inside); // lower than before the call if an error was caught since
    return r;
  }

  // ---- coroutines ----

  void newCoroutine(int d, int function, int nothing) {
    t.newThread(d);
    t.set(nothing, Values.UNDEFINED);
    t.push(d, nothing); // the frame at the bottom has no function
    t.push(d, function);
    t.setThreadObject(d, new Coroutine());
  }

  private @Nullable Coroutine of(int slot) {
    return (Coroutine) t.threadObject(slot);
  }

  String status(int slot) {
    Coroutine c = of(slot);
    return switch (t.threadState(slot)) {
      case RUNNING -> "running";
      case WAITING -> "normal";
      case SUSPENDED -> c != null && c.dead ? "dead" : "suspended";
      case IDLE -> c == null || c.dead ? "dead" : "suspended";
    };
  }

  boolean isMain() {
    return current == null;
  }

  /** Returns whether the heap's running thread is that of the main program. */
  boolean isInMain() {
    int x = s.scratch(1);
    t.currentThread(x);
    boolean is = t.threadObject(x) == null;
    t.resizeFrame(x);
    return is;
  }

  /** Leaves the running coroutine, and all its resumers, where they are. */
  void returnToMain() {
    while (current != null) {
      t.suspend();
      leave();
    }
  }

  boolean isYieldable() {
    Coroutine c = current;
    return c != null
        && !c.closing
        && c.nested == calls.nested
        && (run.limit == null || run.limitIn != c);
  }

  /** Returns whether a coroutine can yield, or could when it resumed another. */
  boolean isYieldable(int slot) {
    Coroutine asked = of(slot);
    int nested = calls.nested;
    for (Coroutine c = current; c != null && c != asked; c = c.resumer) {
      nested = c.nested;
    }
    boolean begun = asked == current || t.threadState(slot) == ThreadState.WAITING;
    return asked != null && (!begun || asked.nested == nested);
  }

  private void startResume(int n) {
    Coroutine c = of(COROUTINE);
    ThreadState state = t.threadState(COROUTINE);
    boolean idle = state == ThreadState.IDLE;
    if (c == null || c.dead || !(idle || state == ThreadState.SUSPENDED)) {
      String status = status(COROUTINE);
      refuse("cannot resume " + (status.equals("dead") ? status : "non-suspended") + " coroutine");
      return;
    }
    if (nested() > MOST_NESTED) {
      refuse(DEEP);
      return;
    }
    c.wrapped = t.functionCode(0) == wrap;
    if (idle) {
      t.resume(COROUTINE, n + 2, PASSED, n);
      enter(c);
      calls.invoke(BODY, n, Return.of(Return.COROUTINE, BODY, Return.ALL));
    } else {
      int count = t.resumeInto(COROUTINE, PASSED, n, VALUES, Return.ALL);
      enter(c);
      if (calls.hosts().waits()) {
        calls.hosts().resumed(count);
      } else {
        int outer = level(); // not that of the resume before
        long r = restore();
        restoreLevel(outer);
        calls.finish(VALUES, count, r);
      }
    }
  }

  private void enter(Coroutine c) {
    c.resumer = current;
    c.nested = calls.nested;
    c.level = level;
    outset = level;
    current = c;
    calls.hooks().update();
  }

  private void leave() {
    Coroutine c = Objects.requireNonNull(current);
    current = c.resumer;
    c.resumer = null;
    calls.hooks().update();
  }

  /** Fails in the frame of resume or wrap, without a resume. */
  private void refuse(String message) {
    t.resizeFrame(PASSED + 1);
    strings.set(PASSED, message);
    failed();
  }

  /** Ends resume or wrap with an error: the coroutine failed, or could not be resumed. */
  private void failed() {
    if (t.functionCode(0) != wrap) {
      long r = restore();
      t.set(VALUES, Values.FALSE);
      calls.finish(VALUES, 2, r);
      return;
    }
    long _ = restore();
    addPosition();
    t.setGlobal(s.error, PASSED);
    throw new LuaError();
  }

  void checkYield() {
    if (current == null) {
      throw new LuaError("attempt to yield from outside a coroutine");
    }
    if (!isYieldable()) {
      throw new LuaError("attempt to yield across a C-call boundary");
    }
  }

  private void startYield(int n, long r) {
    checkYield();
    t.resizeFrame(n + VALUES);
    t.move(VALUES, 1, n);
    keep(r, -1);
    suspend(n);
  }

  /** Suspends the coroutine, and passes the values from slot VALUES on to the resumer. */
  void suspend(int n) {
    boolean holds = false;
    for (int i = 0; i < n; i++) {
      holds |= Values.isReference(t.get(VALUES + i));
    }
    int count = t.suspend(VALUES, n, PASSED, Return.ALL);
    leave();
    for (int i = count - 1; holds && i >= 0; i--) {
      t.pop(COROUTINE, PASSED + i); // now the resumer alone has the values
    }
    passed(count);
  }

  void finishCoroutine(int first, int n) {
    Objects.requireNonNull(current).dead = true;
    int count = t.finish(first, n, PASSED, Return.ALL);
    leave();
    passed(count);
  }

  /** Ends resume or wrap with the values that the coroutine has passed. */
  private void passed(int count) {
    boolean wrapped = t.functionCode(0) == wrap;
    long r = restore();
    if (wrapped) {
      calls.finish(PASSED, count, r);
    } else {
      t.set(VALUES, Values.TRUE);
      calls.finish(VALUES, count + 1, r);
    }
  }

  private void startClose() {
    String status = status(COROUTINE);
    if (status.equals("running") || status.equals("normal")) {
      long _ = restore();
      throw arguments.error("cannot close a " + status + " coroutine");
    }
    Coroutine c = of(COROUTINE);
    t.resizeFrame(PASSED + 1);
    t.set(PASSED, Values.UNDEFINED);
    boolean failed = c != null && c.failed;
    if (c != null && c.failed) {
      c.failed = false;
      t.pop(COROUTINE, PASSED);
    }
    if (c == null || t.threadState(COROUTINE) == ThreadState.IDLE) {
      if (c != null) {
        c.dead = true;
      }
      long r = restore();
      t.set(VALUES, Values.ofBoolean(!failed));
      calls.finish(VALUES, failed ? 2 : 1, r);
      return;
    }
    c.erred = failed;
    t.setGlobal(s.error, PASSED);
    int _ = t.resumeInto(COROUTINE, PASSED, 0, 0, 0);
    enter(c);
    c.closing = true;
    c.closingDepth = t.frameDepth();
    unwind();
  }

  // ---- errors ----

  /** Turns an exception of the machine into an error of the script, and unwinds. */
  void caught(RuntimeException thrown) {
    RuntimeException e = thrown instanceof HeapExhaustedException ? orLimit(thrown) : thrown;
    if (e instanceof LuaLimitException limit && s.limits.isEnding(limit)) {
      saveTop();
      unwind(limit);
      return;
    }
    if (!(e instanceof LuaError
        || e instanceof HeapExhaustedException
        || e instanceof StackFullException)) {
      throw e;
    }
    if (!isHandled(e)) {
      saveTop();
    }
    raise(e);
    if (!abandons()) {
      unwind();
    }
  }

  /** Returns a limit that made the heap refuse a request for memory, or else the refusal. */
  private RuntimeException orLimit(RuntimeException refusal) {
    try {
      s.limits.check();
      return refusal;
    } catch (LuaLimitException limit) {
      return limit;
    }
  }

  private static boolean isHandled(RuntimeException e) {
    return e instanceof LuaError error && error.handled;
  }

  /** Makes this the current error, and calls the message handler. */
  void raise(RuntimeException e) {
    if (isHandled(e)) {
      return;
    }
    setError(e);
    if (!HOPELESS.equals(e.getMessage())) {
      boolean deep = nested() == MOST_NESTED && !String.valueOf(e.getMessage()).endsWith(DEEP);
      handle(deep);
    }
    calls.margin = margin;
  }

  /** Saves the place of the Lua function that failed, for tracebacks and for closing variables. */
  private void saveTop() {
    Code code = s.codes.of(t, 0);
    if (code != null && code == s.codeOrNull()) {
      t.set(code.pcSlot, Return.save(s.pc, s.ret));
    }
  }

  private void setError(RuntimeException e) {
    origin = e instanceof LuaError error ? error.origin : null;
    memory = e instanceof HeapExhaustedException;
    exhausted = e instanceof HeapExhaustedException x ? x : exhausted;
    String text =
        switch (e) {
          case LuaError error -> error.text;
          case LuaLimitException limit -> limit.getMessage();
          case StackFullException _ -> messages.error("stack overflow").text;
          default -> null;
        };
    if (text != null) {
      try {
        int x = s.scratch(1);
        strings.set(x, text);
        t.setGlobal(s.error, x);
        t.resizeFrame(x);
      } catch (HeapExhaustedException _) {
        memory = true;
      }
    }
  }

  /** The exception of a function of the host, if the current error came from there. */
  @Nullable Throwable origin() {
    return origin;
  }

  /** Leaves all coroutines and runs, after the end of the Java stack. */
  void abandon() {
    while (current != null) {
      current.dead = true;
      t.suspend();
      leave();
    }
    run = new Run(null, 0, null);
    closing = null;
    closed = false;
    margin = 0;
    memory = false;
    origin = null;
  }

  /** Returns the refused request, if the current error is that memory ran out. */
  @Nullable HeapExhaustedException exhausted() {
    return memory ? exhausted : null;
  }

  /** Loads the value of the current error. */
  void loadError(int d) {
    t.getGlobal(d, memory ? s.memoryMessage : s.error);
  }

  /**
   * Forgets the value of an error that was caught: it may be garbage from then on.
   *
   * @param slot holds no reference
   */
  void dropError(int slot) {
    t.setGlobal(s.error, slot);
  }

  /**
   * Calls the message handler at the place of the error.
   *
   * @param deep whether the handler is one call too deep: that is the error then
   */
  private void handle(boolean deep) {
    if (memory) {
      return; // as in PUC Lua
    }
    int size = t.frameSize();
    try {
      int x = s.scratch(2);
      s.loadHandler(x);
      if (t.get(x) != Values.UNDEFINED) {
        if (deep) {
          MachineTexts.set(t, x + 1, DEEP);
        } else {
          loadError(x + 1);
        }
        callHandler(x);
      }
    } catch (HeapExhaustedException | StackFullException _) {
      memory = true;
    }
    if (t.frameSize() > size) {
      t.resizeFrame(size);
    }
  }

  private void callHandler(int x) {
    if (nested() >= MOST_NESTED_IN_HANDLER) {
      MachineTexts.set(t, x, HOPELESS);
      t.setGlobal(s.error, x);
      return;
    }
    int outer = margin;
    margin = calls.margin;
    try {
      int _ = calls.callHandler(x);
      memory = false;
      t.setGlobal(s.error, x);
    } catch (LuaError _) {
      memory = false; // the handler's error was handled, too
    } finally {
      margin = outer;
    }
  }

  /** Leaves frames until a protected call catches the error, or a variable is to be closed. */
  void unwind() {
    unwind(null);
  }

  /** Leaves frames for an error, or for a limit of a call if that is not null. */
  private void unwind(@Nullable LuaLimitException reached) {
    LuaLimitException limit = reached;
    while (true) {
      int depth = t.frameDepth();
      Coroutine c = current;
      if (run.limit != null && run.limitIn == c && run.limitDepth == depth) {
        limit = limit == null ? run.limit : limit; // the variable of this frame is closed
        run.limit = null;
      }
      if (isAtBottom()) {
        forgetSearch(c);
        if (limit != null) {
          throw limit;
        }
        LuaError e = new LuaError();
        e.handled = true;
        throw e;
      }
      if (c != null && depth == BOTTOM) {
        if (limit != null) {
          drop(c);
          continue;
        }
        if (die(c) || abandons()) {
          return;
        }
        continue;
      }
      int number = t.functionCode(0);
      Code code = number < 0 ? null : s.codes.compiled[number];
      if (code != null) {
        if ((limit == null || !s.limits.isOver(limit)) && closes(code, limit)) {
          if (!closed) {
            return;
          }
          closed = false; // a library function has closed the variable at once
          continue;
        }
      } else if (limit != null) {
        if (catches(number)) {
          long _ = restore();
        }
      } else if (catches(number) && !(c != null && c.closing && depth <= c.closingDepth)) {
        forgetSearch(c);
        long r = restore();
        level = caughtAt(level);
        finishCaught(r);
        return;
      }
      t.leave();
      s.setCode(null); // the next instruction is not that of the frame
    }
  }

  /** The error has left its last frame: what {@link #isCaught} knows ends with it. */
  private static void forgetSearch(@Nullable Coroutine c) {
    if (c != null) {
      c.searched = 0;
    }
  }

  private boolean catches(int number) {
    return (number == pcall || number == xpcall)
        && t.frameSize() > HANDLER
        && Values.isDouble(t.get(INFO));
  }

  /**
   * Returns the first slot of what a frame has passed on to the call that it waits for; the number
   * of its slots if it has not.
   *
   * @param frame is not a function of Lua
   */
  int firstPassed(@Nullable Coroutine in, DeadSlots.Frame frame) {
    int number = frame.functionCode();
    if (in != null && frame.depth() == BOTTOM) {
      return BODY;
    }
    int first =
        number < 0
            ? frame.slots()
            : number == pcall || number == xpcall
                ? VALUES
                : number == resume || number == wrap ? PASSED : frame.slots();
    return first < frame.slots() && Values.isDouble(frame.get(INFO)) ? first : frame.slots();
  }

  /**
   * Returns whether a call in a coroutine catches an error. While the error leaves frames, what one
   * search has found holds for the frames further out.
   */
  private boolean isCaught(Coroutine c) {
    int depth = t.frameDepth();
    if (depth > c.searched || c.catching >= depth) {
      s.limits.work(depth >>> 3);
      c.catching = depth - levels.findCatching(0);
    }
    c.searched = depth;
    return c.catching > 0;
  }

  /**
   * Leaves a coroutine dead, with its frames, if {@code resume} resumed it and no call in it
   * catches the error. Only {@code close} closes the variables of such a coroutine.
   */
  private boolean abandons() {
    Coroutine c = current;
    if (c == null || c.wrapped || c.closing || run.coroutine == c) {
      return false;
    }
    int depth = t.frameDepth();
    s.limits.work(depth >>> 3);
    try {
      t.enter(2);
    } catch (HeapExhaustedException | StackFullException _) {
      return false; // unwinding closes the variables at once
    }
    int level = 1;
    while ((level = t.findFrame(level, pcall, xpcall)) >= 0 && level < depth) {
      t.peek(0, level, INFO);
      if (Values.isDouble(t.get(0))) {
        t.leave();
        return false;
      }
      s.limits.work(level >>> 3); // this frame catches no error any more
      level++;
    }
    loadError(1);
    t.set(0, Values.UNDEFINED);
    memory = false;
    c.dead = true;
    int _ = t.suspend(1, 1, PASSED, Return.ALL);
    leave();
    keepError(c);
    long r = restore();
    t.set(VALUES, Values.FALSE);
    dropError(VALUES);
    calls.finish(VALUES, 2, r);
    return true;
  }

  /** Keeps the error of a dead coroutine on its stack, for {@code close}. */
  private void keepError(Coroutine c) {
    try {
      t.push(COROUTINE, PASSED);
      c.failed = true;
    } catch (HeapExhaustedException | StackFullException _) {
      c.failed = false;
    }
  }

  /** Calls the function that closes a frame's innermost variable. Returns false if none is left. */
  private boolean closes(Code code, @Nullable LuaLimitException limit) {
    long saved = t.get(code.pcSlot);
    int x = t.frameSize();
    int v;
    while (true) {
      v = calls.closable(code, Return.pc(saved) - 1, 0);
      if (v < 0) {
        return false;
      }
      try {
        t.resizeFrame(x + 4);
        break;
      } catch (HeapExhaustedException | StackFullException e) {
        setError(e); // the variable cannot be closed: a new error replaces the old
        t.set(v, Values.UNDEFINED);
      }
    }
    s.setCode(code);
    s.pc = Return.pc(saved);
    s.ret = Return.of(saved);
    if (limit != null) {
      setError(limit);
      run.limit = limit;
      run.limitIn = current;
      run.limitDepth = t.frameDepth();
    }
    loadError(x + 2);
    memory = false;
    t.copy(x + 3, x + 2);
    calls.prepareClose(v, x);
    closing = run;
    level = limit == null ? outset : floor();
    Coroutine c = current;
    if (c != null) {
      // As in Lua, which closes the variables of such a coroutine from outside.
      c.closing |= limit == null && c.wrapped && !isCaught(c);
      c.closingDepth = Math.min(c.closingDepth, t.frameDepth());
    }
    s.unwound = t.frameDepth();
    s.hasUnwound = true;
    try {
      calls.nestKeeping(x, 2, Return.of(Return.UNWIND, x + 3, 0));
    } catch (LuaError | HeapExhaustedException | StackFullException e) {
      if (limit == null) {
        raise(e); // the closing value is no function, or a library function failed
      }
      closed = true;
    } finally {
      s.unwound = 0;
      closing = null;
    }
    return true;
  }

  /** Continues an error after a variable was closed. */
  @SuppressWarnings("ReferenceEquality") // the same run is meant
  void unwindFurther() {
    if (closing == run) {
      closed = true;
    } else {
      unwind();
    }
  }

  /** Ends a coroutine by an error. Returns false if the error continues in the resumer. */
  private boolean die(Coroutine c) {
    c.dead = true;
    t.resizeFrame(Math.max(1, t.frameSize()));
    loadError(0);
    memory = false;
    int _ = t.finish(0, 1, PASSED, Return.ALL);
    leave();
    if (t.functionCode(0) == wrap) {
      long _ = restore();
      addPosition();
      t.setGlobal(s.error, PASSED);
      handle(false);
      return false;
    }
    long r = restore();
    boolean good = c.closing && !c.erred && t.get(PASSED) == Values.UNDEFINED;
    if (!c.closing) {
      keepError(c);
    }
    t.set(VALUES, good ? Values.TRUE : Values.FALSE);
    dropError(VALUES);
    calls.finish(VALUES, good ? 1 : 2, r);
    return true;
  }

  /** Ends a coroutine by a limit of a call. The limit continues in the resumer. */
  private void drop(Coroutine c) {
    c.dead = true;
    int _ = t.finish(0, 0, PASSED, Return.ALL);
    leave();
    long _ = restore();
  }

  private void addPosition() {
    if (Types.isString(t, PASSED)) {
      try {
        strings.set(PASSED, messages.where(1) + strings.get(PASSED));
      } catch (HeapExhaustedException e) {
        setError(e);
      }
    }
  }
}
