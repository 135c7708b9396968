package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.memory.Account;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The debug library (§ 6.10): the traceback, stacks, variables and hooks. */
final class DebugLibrary {
  /** The steps of a traceback. */
  private static final int TRACEBACK = 64;

  private static final int MOST_LEVELS = 1 << 30;
  private static final String OPTIONS = "SlnrutLf";

  private final Machine machine;
  private final State s;
  private final Mutator t;
  private final Hooks hooks;
  private final DebugInfo info;

  private DebugLibrary(Machine machine) {
    this.machine = machine;
    this.s = machine.state();
    this.t = s.t;
    this.hooks = machine.calls().hooks();
    this.info = new DebugInfo(machine);
  }

  static void open(Machine machine, boolean all) {
    DebugLibrary d = new DebugLibrary(machine);
    Registration debug = new Registration(machine, "debug", 17);
    Registration _ = debug.add("traceback", d::traceback);
    if (all) {
      UpvalueLibrary upvalues = new UpvalueLibrary(machine);
      Registration _ =
          debug
              .add("debug", d::debug)
              .add("gethook", d::gethook)
              .add("getinfo", d::getinfo)
              .add("getlocal", d::getlocal)
              .add("getmetatable", d::getmetatable)
              .add("getregistry", d::getregistry)
              .add("getupvalue", upvalues::getupvalue)
              .add("getuservalue", upvalues::getuservalue)
              .add("setcstacklimit", d::setcstacklimit)
              .add("sethook", d::sethook)
              .add("setlocal", d::setlocal)
              .add("setmetatable", d::setmetatable)
              .add("setupvalue", upvalues::setupvalue)
              .add("setuservalue", upvalues::setuservalue)
              .add("upvalueid", upvalues::upvalueid)
              .add("upvaluejoin", upvalues::upvaluejoin);
    }
  }

  /** Returns the slot of a coroutine as first argument, or 0. */
  private int thread(Arguments a) {
    return a.count() > 0 && Types.of(t, 1) == Types.THREAD ? 1 : 0;
  }

  private int traceback(Arguments a) {
    int thread = thread(a);
    int message = 1 + thread;
    if (!a.isNoneOrNil(message) && !machine.isString(message) && !machine.isNumber(message)) {
      return a.one(message);
    }
    long otherwise = info.isCurrent(thread) ? 1 : 0;
    long asked = a.optInteger(message + 1, otherwise);
    long level = asked < 0 ? MOST_LEVELS : Math.min(asked, MOST_LEVELS);
    a.work(TRACEBACK);
    String text = info.traceback(a, thread, level);
    int x = a.scratch(1);
    if (!a.isNoneOrNil(message)) {
      a.checkString(message);
      text = machine.string(message) + "\n" + text;
    }
    machine.setString(x, text);
    return a.one(x);
  }

  // ---- functions ----

  private int getinfo(Arguments a) {
    int thread = thread(a);
    String options = a.option(2 + thread, "flnSrtu");
    if (options.startsWith(">")) {
      throw a.argumentError(2 + thread, "invalid option '>'");
    }
    int x = a.scratch(4);
    DebugInfo.Frame frame;
    if (a.count() > thread && machine.isFunction(1 + thread)) {
      t.copy(x, 1 + thread);
      frame = new DebugInfo.Frame(-1, s.codes.of(t, x), -1, false, "");
    } else {
      long level = a.checkInteger(1 + thread);
      frame = frame(a, thread, level, x);
      if (frame == null) {
        t.set(x, Values.UNDEFINED);
        return a.one(x);
      }
    }
    for (int i = 0; i < options.length(); i++) {
      if (OPTIONS.indexOf(options.charAt(i)) < 0) {
        throw a.argumentError(2 + thread, "invalid option");
      }
    }
    a.work(TRACEBACK);
    machine.newTable(x + 1);
    fill(x, frame, options);
    return a.one(x + 1);
  }

  /** Returns the frame of a level, or null. Puts its function into a slot. */
  private DebugInfo.@Nullable Frame frame(Arguments a, int thread, long level, int d) {
    return level < 0 || level > MOST_LEVELS
        ? null
        : info.on(a, thread, d, top -> info.frame(top, (int) level));
  }

  private void field(int x, String name) {
    machine.setString(x + 2, name);
    machine.rawSet(x + 1, x + 2, x + 3);
  }

  private void field(int x, String name, String value) {
    machine.setString(x + 3, value);
    field(x, name);
  }

  private void field(int x, String name, long value) {
    machine.setInteger(x + 3, value);
    field(x, name);
  }

  private void field(int x, String name, boolean value) {
    t.set(x + 3, Values.ofBoolean(value));
    field(x, name);
  }

  /** Fills the table behind slot x. The function is in slot x. */
  private void fill(int x, DebugInfo.Frame f, String options) {
    Code code = f.code();
    if (options.indexOf('S') >= 0) {
      field(x, "source", code == null ? "=[C]" : code.prototype.source);
      field(x, "short_src", code == null ? "[C]" : code.prototype.chunk);
      field(x, "linedefined", code == null ? -1 : code.prototype.line);
      boolean main = code != null && code.prototype.line == 0;
      field(x, "lastlinedefined", code == null ? -1 : main ? 0 : code.prototype.lastLine);
      field(x, "what", code == null ? "C" : main ? "main" : "Lua");
    }
    if (options.indexOf('l') >= 0) {
      field(x, "currentline", code == null || f.at() < 0 ? -1 : Messages.line(code, f.at()));
    }
    if (options.indexOf('u') >= 0) {
      int held = code == null ? s.codes.held(t.functionCode(x)) : code.prototype.captures.length;
      field(x, "nups", held);
      field(x, "nparams", code == null ? 0 : code.parameters);
      field(x, "isvararg", code == null || code.varargs);
    }
    if (options.indexOf('n') >= 0) {
      int quote = f.name().indexOf('\'');
      if (quote >= 0) {
        field(x, "name", f.name().substring(quote + 1, f.name().length() - 1));
      }
      field(x, "namewhat", quote < 0 ? "" : f.name().substring(0, quote - 1));
    }
    if (options.indexOf('r') >= 0) {
      int count = f.level() < 0 ? 0 : hooks.count(t.frameDepth() - f.level());
      int first = count == 0 ? 0 : hooks.first(t.frameDepth() - f.level());
      field(x, "ftransfer", code == null || first == 0 ? first : DebugInfo.number(code, first));
      field(x, "ntransfer", count);
    }
    if (options.indexOf('t') >= 0) {
      field(x, "istailcall", f.tail());
    }
    if (options.indexOf('L') >= 0 && code != null) {
      activeLines(x, code);
    }
    if (options.indexOf('f') >= 0) {
      t.copy(x + 3, x);
      field(x, "func");
    }
  }

  private void activeLines(int x, Code code) {
    int y = s.scratch(1);
    t.set(y, Values.TRUE);
    machine.newTable(x + 3);
    s.limits.work(code.code.length >>> 3);
    for (int pc = 0; pc < code.code.length; pc += Op.width(code.code[pc] & 255)) {
      int line = Messages.line(code, pc);
      if (line >= 0) {
        machine.rawSet(x + 3, (long) line, y);
      }
    }
    field(x, "activelines");
    t.resizeFrame(y);
  }

  // ---- variables ----

  private @Nullable Coroutine coroutine(int thread) {
    return thread == 0
        ? machine.calls().protection().current()
        : (Coroutine) t.threadObject(thread);
  }

  private int getlocal(Arguments a) {
    int thread = thread(a);
    long n = a.checkInteger(2 + thread);
    int x = a.scratch(2);
    if (machine.isFunction(1 + thread)) {
      Code code = s.codes.of(t, 1 + thread);
      boolean is = code != null && n >= 1 && n <= code.parameters;
      t.set(x, Values.UNDEFINED);
      if (code != null && is) {
        var v = info.variable(code, 0, n);
        if (v != null) {
          machine.setString(x, v.name());
        }
      }
      return a.one(x);
    }
    long level = level(a, thread);
    if (isOwnArgument(a, thread, level, n)) {
      machine.setString(x, DebugInfo.TEMPORARY);
      t.copy(x + 1, (int) n);
      return a.results(x, 2);
    }
    String name = local(a, thread, level, n, x + 1);
    if (name == null) {
      t.set(x, Values.UNDEFINED);
      return a.one(x);
    }
    machine.setString(x, name);
    return a.results(x, 2);
  }

  /** Loads the value of a level's variable. Returns the variable's name, or null. */
  private @Nullable String local(Arguments a, int thread, long level, long n, int d) {
    Coroutine coroutine = coroutine(thread);
    boolean[] there = {false};
    String name =
        info.on(
            a,
            thread,
            d,
            top -> {
              DebugInfo.Frame f = info.frame(top, (int) level);
              there[0] = f != null;
              return f == null ? null : info.local(f, n, coroutine);
            });
    if (!there[0]) {
      throw a.argumentError(1 + thread, "level out of range");
    }
    return name;
  }

  /** Returns whether a variable is an argument of the running library function. */
  private boolean isOwnArgument(Arguments a, int thread, long level, long n) {
    return level == 0 && n >= 1 && n <= a.count() && info.isCurrent(thread);
  }

  private static long level(Arguments a, int thread) {
    long level = a.checkInteger(1 + thread);
    if (level < 0 || level > MOST_LEVELS) {
      throw a.argumentError(1 + thread, "level out of range");
    }
    return level;
  }

  private int setlocal(Arguments a) {
    int thread = thread(a);
    long level = level(a, thread);
    long n = a.checkInteger(2 + thread);
    a.checkAny(3 + thread);
    Coroutine coroutine = coroutine(thread);
    int x = a.scratch(1);
    boolean isOwn = isOwnArgument(a, thread, level, n);
    String name = isOwn ? DebugInfo.TEMPORARY : local(a, thread, level, n, x);
    if (name != null && !isOwn) {
      t.setGlobal(machine.passed(), 3 + thread);
      name =
          info.on(
              a,
              thread,
              x,
              top -> {
                int size = s.scratch(1);
                t.getGlobal(size, machine.passed());
                DebugInfo.Frame f = info.frame(top, (int) level);
                t.setGlobal(machine.passed(), size);
                return f == null ? null : info.setLocal(f, n, coroutine);
              });
    }
    hooks.update();
    t.set(x, Values.UNDEFINED);
    if (name != null) {
      machine.setString(x, name);
    }
    return a.one(x);
  }

  // ---- hooks ----

  private int sethook(Arguments a) {
    int thread = thread(a);
    int function = 1 + thread;
    int mask = 0;
    long count = 0;
    if (!a.isNoneOrNil(function)) {
      a.checkString(2 + thread);
      String letters = a.option(2 + thread, "");
      if (!machine.isFunction(function)) {
        throw a.typeError(function, "function");
      }
      count = a.optInteger(3 + thread, 0);
      mask |= letters.indexOf('c') >= 0 ? Hooks.CALL : 0;
      mask |= letters.indexOf('r') >= 0 ? Hooks.RETURN : 0;
      mask |= letters.indexOf('l') >= 0 ? Hooks.LINE : 0;
      mask |= count > 0 ? Hooks.COUNT : 0;
    }
    int x = a.scratch(1);
    t.currentThread(x);
    int most = (int) Math.min(count, Integer.MAX_VALUE);
    hooks.set(coroutine(thread), thread == 0 ? x : thread, function, mask, most);
    return a.none();
  }

  private int gethook(Arguments a) {
    int thread = thread(a);
    int x = a.scratch(3);
    t.currentThread(x + 1);
    hooks.load(x, thread == 0 ? x + 1 : thread);
    if (t.get(x) == Values.UNDEFINED) {
      return a.one(x);
    }
    Coroutine.Hook hook = hooks.of(coroutine(thread));
    String letters = (hook.mask & Hooks.CALL) != 0 ? "c" : "";
    letters += (hook.mask & Hooks.RETURN) != 0 ? "r" : "";
    letters += (hook.mask & Hooks.LINE) != 0 ? "l" : "";
    machine.setString(x + 1, letters);
    machine.setInteger(x + 2, hook.count);
    return a.results(x, 3);
  }

  // ---- the rest ----

  private int debug(Arguments a) {
    int x = a.scratch(3);
    try {
      while (true) {
        machine.writeError("lua_debug> ");
        String line = line(a);
        if (line == null || line.equals("cont")) {
          return a.none();
        }
        try {
          machine.loadGlobals(x + 1);
          byte[] text = line.getBytes(StandardCharsets.ISO_8859_1);
          int found;
          try (Account.Loan loan = machine.account().borrow()) {
            found = Chunks.load(machine, a, text, "=(debug command)", "t", x + 1, loan);
          }
          t.copy(x, a.firstResult());
          if (found == 1) {
            int _ = machine.call(x, 0, 0);
          } else {
            machine.writeError(machine.string(a.firstResult() + 1) + "\n");
          }
        } catch (LuaError e) {
          machine.calls().protection().loadError(x);
          t.set(x + 1, Values.UNDEFINED);
          machine.calls().protection().dropError(x + 1);
          machine.toStringMeta(x, x);
          machine.writeError(machine.string(x) + "\n");
        }
      }
    } catch (IOException e) {
      throw a.error(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable String line(Arguments a) throws IOException {
    InputStream in = machine.sandbox().in();
    StringBuilder line = new StringBuilder();
    int c = in.read();
    if (c < 0) {
      return null;
    }
    while (c >= 0 && c != '\n') {
      if (line.length() >= Chunks.MOST) {
        throw a.error("chunk too large");
      }
      line.append((char) c);
      c = in.read();
    }
    return line.toString();
  }

  /** Returns a table with the fields of PUC Lua's registry that scripts use. */
  private int getregistry(Arguments a) {
    int x = a.scratch(3);
    machine.newTable(x);
    machine.setString(x + 1, "_LOADED");
    machine.loadLoaded(x + 2);
    machine.rawSet(x, x + 1, x + 2);
    machine.loadGlobals(x + 2);
    machine.rawSet(x, 2L, x + 2);
    machine.setString(x + 1, "_HOOKKEY");
    hooks.loadTable(x + 2);
    machine.rawSet(x, x + 1, x + 2);
    return a.one(x);
  }

  private int setcstacklimit(Arguments a) {
    long _ = a.checkInteger(1);
    machine.setInteger(1, 200);
    return a.one(1);
  }

  private int getmetatable(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(1);
    if (!machine.metatable(x, 1)) {
      a.mutator().set(x, Values.UNDEFINED);
    }
    return a.one(x);
  }

  private int setmetatable(Arguments a) {
    a.checkAny(1);
    if (a.count() < 2 || (a.mutator().get(2) != Values.UNDEFINED && !machine.isTable(2))) {
      throw a.typeError(2, "nil or table");
    }
    machine.setMetatable(1, 2);
    return a.one(1);
  }
}
