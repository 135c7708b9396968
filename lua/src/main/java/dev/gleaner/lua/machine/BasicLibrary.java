package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.memory.Account;
import java.io.IOException;
import java.io.OutputStream;

/** The basic functions (§ 6.1), except for those that read files. */
public final class BasicLibrary {
  /** The bytes of a piece of digits. */
  private static final int DIGITS = 1024;

  private static final int KIB = 1024;

  private BasicLibrary() {}

  /**
   * Adds the functions.
   *
   * @param machine a machine without libraries
   */
  public static void open(Machine machine) {
    Registration g = new Registration(machine, "_G", 0);
    g.add("_VERSION", "Lua 5.4")
        .add("print", BasicLibrary::print)
        .add("type", BasicLibrary::type)
        .add("tostring", BasicLibrary::tostring)
        .add("tonumber", BasicLibrary::tonumber)
        .add("ipairs", BasicLibrary::ipairs)
        .add("pairs", BasicLibrary::pairs)
        .add("next", BasicLibrary::next)
        .add("rawget", BasicLibrary::rawget)
        .add("rawset", BasicLibrary::rawset)
        .add("rawequal", BasicLibrary::rawequal)
        .add("rawlen", BasicLibrary::rawlen)
        .add("select", BasicLibrary::select)
        .add("getmetatable", BasicLibrary::getmetatable)
        .add("setmetatable", BasicLibrary::setmetatable)
        .add("assert", BasicLibrary::assertTrue)
        .add("error", BasicLibrary::error)
        .add("warn", BasicLibrary::warn)
        .add("load", BasicLibrary::load)
        .add("collectgarbage", new GarbageOptions(machine)::collectgarbage);
    int pcall = g.addOwn("pcall");
    int xpcall = g.addOwn("xpcall");
    CoroutineLibrary.open(machine, pcall, xpcall);
    DebugLibrary.open(machine, machine.sandbox().files());
    if (machine.sandbox().files()) {
      FileChunks.open(machine);
    }
    int nextIndex = machine.declare("?ipairs", BasicLibrary::nextIndex, 0);
    State s = machine.state();
    Mutator t = machine.mutator();
    t.enter(1);
    Registration _ =
        g.with(table -> {
          machine.setString(1, "next");
          machine.rawGet(1, table, 1);
          t.setGlobal(s.nextFunction, 1);
          machine.newBuiltin(1, nextIndex, 1, 0);
          t.setGlobal(s.nextIndexFunction, 1);
        });
    t.getGlobal(0, s.nextFunction);
    s.hooks.setNext(t.functionCode(0) < 0 ? State.NO_CODE : t.functionCode(0));
    t.leave();
  }

  private static int print(Arguments a) {
    Machine m = a.machine();
    OutputStream out = m.sandbox().out();
    int x = a.scratch(1);
    try {
      for (int i = 1; i <= a.count(); i++) {
        m.toStringMeta(x, i);
        if (i > 1) {
          out.write('\t');
        }
        write(m, out, x);
      }
      out.write('\n');
    } catch (IOException e) {
      throw a.error(String.valueOf(e.getMessage()));
    }
    a.work(1);
    return a.none();
  }

  /** Writes a string in pieces. */
  private static void write(Machine m, OutputStream out, int s) throws IOException {
    Mutator t = m.mutator();
    int length = t.stringBytes(s);
    byte[] piece = new byte[Math.min(length, 8 * KIB)];
    for (int at = 0; at < length; at += piece.length) {
      int n = Math.min(piece.length, length - at);
      t.readString(s, at, piece, 0, n);
      out.write(piece, 0, n);
      m.work(n >>> 4);
    }
  }

  private static int type(Arguments a) {
    a.checkAny(1);
    a.machine().setString(1, a.machine().typeName(1));
    return a.one(1);
  }

  private static int tostring(Arguments a) {
    a.checkAny(1);
    a.machine().toStringMeta(1, 1);
    return a.one(1);
  }

  private static int tonumber(Arguments a) {
    Machine m = a.machine();
    if (a.isNoneOrNil(2)) {
      a.checkAny(1);
      if (!m.isNumber(1) && !(m.isString(1) && m.toNumber(1))) {
        m.mutator().set(1, Values.UNDEFINED);
      }
      return a.one(1);
    }
    long base = a.checkInteger(2);
    if (!m.isString(1)) {
      throw a.typeError(1, "string");
    }
    if (base < 2 || base > 36) {
      throw a.argumentError(2, "base out of range");
    }
    if (!setDigits(a, base)) {
      m.mutator().set(1, Values.UNDEFINED);
    }
    return a.one(1);
  }

  /** Converts the digits of the first argument to a number. Returns false if that fails. */
  private static boolean setDigits(Arguments a, long base) {
    Mutator t = a.mutator();
    int length = t.stringBytes(1);
    byte[] piece = new byte[Math.min(length, DIGITS)];
    boolean begun = false;
    boolean negative = false;
    boolean any = false;
    boolean ended = false;
    long v = 0;
    for (int at = 0; at < length; at += piece.length) {
      int n = Math.min(piece.length, length - at);
      a.work(n >>> 2);
      t.readString(1, at, piece, 0, n);
      for (int i = 0; i < n; i++) {
        int c = piece[i];
        boolean space = c == ' ' || (c >= '\t' && c <= '\r');
        int digit = c < 0 ? -1 : Character.digit(c, (int) base);
        if (digit >= 0 && !ended) {
          v = v * base + digit;
          any = true;
        } else if (space && (any || !begun)) {
          ended = any;
        } else if ((c == '-' || c == '+') && !begun) {
          negative = c == '-';
        } else {
          return false;
        }
        begun |= !space;
      }
    }
    if (any) {
      a.machine().setInteger(1, negative ? -v : v);
    }
    return any;
  }

  private static int ipairs(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(3);
    Machine m = a.machine();
    a.mutator().getGlobal(x, m.state().nextIndexFunction);
    a.mutator().copy(x + 1, 1);
    m.setInteger(x + 2, 0);
    return a.results(x, 3);
  }

  private static int nextIndex(Arguments a) {
    Machine m = a.machine();
    long i = a.checkInteger(2) + 1;
    int x = a.scratch(2);
    m.setInteger(x, i);
    m.index(x + 1, 1, x);
    return a.mutator().get(x + 1) == Values.UNDEFINED ? a.one(x + 1) : a.results(x, 2);
  }

  private static int pairs(Arguments a) {
    Machine m = a.machine();
    a.checkAny(1);
    int x = a.scratch(3);
    if (m.metamethod(x, 1, "__pairs")) {
      a.mutator().copy(x + 1, 1);
      return a.call(x, 1, 3);
    }
    a.mutator().getGlobal(x, m.state().nextFunction);
    a.mutator().copy(x + 1, 1);
    a.mutator().set(x + 2, Values.UNDEFINED);
    return a.results(x, 3);
  }

  private static int next(Arguments a) {
    a.checkTable(1);
    int x = a.scratch(3);
    if (a.count() >= 2) {
      a.mutator().copy(x + 2, 2);
    }
    State s = a.machine().state();
    return s.tables.next(x, 1, x + 2, 2) ? a.results(x, 2) : a.one(x);
  }

  private static int rawget(Arguments a) {
    a.checkTable(1);
    a.checkAny(2);
    a.machine().rawGet(2, 1, 2);
    return a.one(2);
  }

  private static int rawset(Arguments a) {
    a.checkTable(1);
    a.checkAny(2);
    a.checkAny(3);
    a.machine().rawSet(1, 2, 3);
    return a.one(1);
  }

  private static int rawequal(Arguments a) {
    a.checkAny(1);
    a.checkAny(2);
    a.mutator().set(1, Values.ofBoolean(a.machine().rawEqual(1, 2)));
    return a.one(1);
  }

  private static int rawlen(Arguments a) {
    Machine m = a.machine();
    if (a.count() > 0 && m.isTable(1)) {
      m.setInteger(1, m.rawLength(1));
    } else if (a.count() > 0 && m.isString(1)) {
      m.setInteger(1, a.mutator().stringBytes(1));
    } else {
      throw a.typeError(1, "table or string");
    }
    return a.one(1);
  }

  private static int select(Arguments a) {
    Machine m = a.machine();
    if (a.count() > 0 && m.isString(1) && m.string(1).equals("#")) {
      m.setInteger(1, a.count() - 1L);
      return a.one(1);
    }
    long i = a.checkInteger(1);
    if (i < 0) {
      i += a.count();
    } else if (i > a.count()) {
      i = a.count();
    }
    if (i < 1) {
      throw a.argumentError(1, "index out of range");
    }
    return a.results((int) i + 1, a.count() - (int) i);
  }

  private static int getmetatable(Arguments a) {
    Machine m = a.machine();
    a.checkAny(1);
    int x = a.scratch(1);
    if (!m.metamethod(x, 1, "__metatable") && !m.metatable(x, 1)) {
      a.mutator().set(x, Values.UNDEFINED);
    }
    return a.one(x);
  }

  private static int setmetatable(Arguments a) {
    Machine m = a.machine();
    a.checkTable(1);
    if (a.count() < 2 || (a.mutator().get(2) != Values.UNDEFINED && !m.isTable(2))) {
      throw a.typeError(2, "nil or table");
    }
    int x = a.scratch(1);
    if (m.metamethod(x, 1, "__metatable")) {
      throw a.error("cannot change a protected metatable");
    }
    m.setMetatable(1, 2);
    return a.one(1);
  }

  private static int assertTrue(Arguments a) {
    a.checkAny(1);
    long v = a.mutator().get(1);
    if (v != Values.UNDEFINED && v != Values.FALSE) {
      return a.results(1, a.count());
    }
    if (a.count() == 1) {
      throw a.error("assertion failed!");
    }
    throw raise(a, 2, 1);
  }

  private static int error(Arguments a) {
    Machine m = a.machine();
    long level = a.optInteger(2, 1);
    if (a.count() == 0) {
      int x = a.scratch(1);
      throw m.error(x);
    }
    throw raise(a, 1, level);
  }

  /** Returns an error whose value is an argument. A string gets the position in front. */
  private static LuaError raise(Arguments a, int value, long level) {
    Machine m = a.machine();
    if (m.isString(value) && level > 0) {
      String where = m.where((int) Math.min(level, Integer.MAX_VALUE));
      if (!where.isEmpty()) {
        int x = a.scratch(2);
        m.setString(x, where);
        m.chargeText(a.mutator().stringBytes(value));
        a.mutator().copy(x + 1, value);
        a.mutator().concat(value, x, 2);
      }
    }
    return m.error(value);
  }

  private static int warn(Arguments a) {
    Machine m = a.machine();
    a.work(a.count());
    a.checkString(1);
    for (int i = 2; i <= a.count(); i++) {
      a.checkString(i);
    }
    if (a.count() == 1 && m.string(1).startsWith("@")) {
      switch (m.string(1)) {
        case "@on" -> m.warns = true;
        case "@off" -> m.warns = false;
        default -> {}
      }
      return a.none();
    }
    if (m.warns) {
      m.writeError("Lua warning: ");
      for (int i = 1; i <= a.count(); i++) {
        m.writeError(m.string(i));
      }
      m.writeError("\n");
    }
    return a.none();
  }

  // ---- chunks ----

  private static int load(Arguments a) {
    Machine m = a.machine();
    Mutator t = a.mutator();
    String mode = a.option(3, "bt");
    boolean isText = m.toText(1);
    try (Account.Loan loan = m.account().borrow()) {
      String name;
      byte[] bytes;
      if (isText) {
        bytes = Chunks.bytes(a, 1, loan);
        name = Paths.upToZero(a.isNoneOrNil(2) ? m.string(1) : text(a, 2));
      } else {
        if (a.count() == 0 || !m.isFunction(1)) {
          throw a.typeError(1, "function");
        }
        name = a.isNoneOrNil(2) ? "=(load)" : Paths.upToZero(text(a, 2));
        bytes = Chunks.pieces(a, 1, loan);
        if (bytes == null) {
          int x = a.scratch(2);
          m.calls().protection().loadError(x + 1);
          return a.results(x, 2);
        }
      }
      int x = a.scratch(2);
      if (a.count() >= 4) {
        t.copy(x, 4);
      } else {
        m.loadGlobals(x);
      }
      return Chunks.load(a, bytes, name, mode, x, loan);
    }
  }

  private static String text(Arguments a, int i) {
    a.checkString(i);
    return a.machine().string(i);
  }
}
