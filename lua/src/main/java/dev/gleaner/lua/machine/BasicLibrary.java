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

  private final Machine machine;

  private BasicLibrary(Machine machine) {
    this.machine = machine;
  }

  /**
   * Adds the functions.
   *
   * @param machine a machine without libraries
   */
  public static void open(Machine machine) {
    BasicLibrary basic = new BasicLibrary(machine);
    Registration g = new Registration(machine, "_G", 0);
    g.add("_VERSION", "Lua 5.4")
        .add("print", basic::print)
        .add("type", basic::type)
        .add("tostring", basic::tostring)
        .add("tonumber", basic::tonumber)
        .add("ipairs", basic::ipairs)
        .add("pairs", basic::pairs)
        .add("next", basic::next)
        .add("rawget", basic::rawget)
        .add("rawset", basic::rawset)
        .add("rawequal", basic::rawequal)
        .add("rawlen", basic::rawlen)
        .add("select", basic::select)
        .add("getmetatable", basic::getmetatable)
        .add("setmetatable", basic::setmetatable)
        .add("assert", basic::assertTrue)
        .add("error", basic::error)
        .add("warn", basic::warn)
        .add("load", basic::load)
        .add("collectgarbage", new GarbageOptions(machine)::collectgarbage);
    int pcall = g.addOwn("pcall");
    int xpcall = g.addOwn("xpcall");
    CoroutineLibrary.open(machine, pcall, xpcall);
    DebugLibrary.open(machine, machine.sandbox().files());
    if (machine.sandbox().files()) {
      FileChunks.open(machine);
    }
    int nextIndex = machine.declare("?ipairs", basic::nextIndex, 0);
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
    int next = t.functionCode(0);
    machine.calls().hooks().setIterators(next < 0 ? State.NO_CODE : next, nextIndex);
    t.leave();
  }

  private int print(Arguments a) {
    OutputStream out = machine.sandbox().out();
    int x = a.scratch(1);
    try {
      for (int i = 1; i <= a.count(); i++) {
        machine.toStringMeta(x, i);
        if (i > 1) {
          out.write('\t');
        }
        write(out, x);
      }
      out.write('\n');
    } catch (IOException e) {
      throw a.error(String.valueOf(e.getMessage()));
    }
    a.work(1);
    return a.none();
  }

  /** Writes a string in pieces. */
  private void write(OutputStream out, int s) throws IOException {
    Mutator t = machine.mutator();
    int length = t.stringBytes(s);
    byte[] piece = new byte[Math.min(length, 8 * KIB)];
    for (int at = 0; at < length; at += piece.length) {
      int n = Math.min(piece.length, length - at);
      t.readString(s, at, piece, 0, n);
      out.write(piece, 0, n);
      machine.work(n >>> 4);
    }
  }

  private int type(Arguments a) {
    a.checkAny(1);
    machine.loadTypeName(1, 1);
    return a.one(1);
  }

  private int tostring(Arguments a) {
    a.checkAny(1);
    machine.toStringMeta(1, 1);
    return a.one(1);
  }

  private int tonumber(Arguments a) {
    if (a.isNoneOrNil(2)) {
      a.checkAny(1);
      if (!machine.isNumber(1) && !(machine.isString(1) && machine.toNumber(1))) {
        machine.mutator().set(1, Values.UNDEFINED);
      }
      return a.one(1);
    }
    long base = a.checkInteger(2);
    if (!machine.isString(1)) {
      throw a.typeError(1, "string");
    }
    if (base < 2 || base > 36) {
      throw a.argumentError(2, "base out of range");
    }
    if (!setDigits(a, base)) {
      machine.mutator().set(1, Values.UNDEFINED);
    }
    return a.one(1);
  }

  /** Converts the digits of the first argument to a number. Returns false if that fails. */
  private boolean setDigits(Arguments a, long base) {
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
      machine.setInteger(1, negative ? -v : v);
    }
    return any;
  }

  private int ipairs(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(3);
    a.mutator().getGlobal(x, machine.state().nextIndexFunction);
    a.mutator().copy(x + 1, 1);
    machine.setInteger(x + 2, 0);
    return a.results(x, 3);
  }

  private int nextIndex(Arguments a) {
    long i = a.checkInteger(2) + 1;
    int x = a.scratch(2);
    machine.setInteger(x, i);
    machine.index(x + 1, 1, x);
    return a.mutator().get(x + 1) == Values.UNDEFINED ? a.one(x + 1) : a.results(x, 2);
  }

  private int pairs(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(3);
    if (machine.metamethod(x, 1, "__pairs")) {
      a.mutator().copy(x + 1, 1);
      return machine.callLast(x, 1, 3);
    }
    a.mutator().getGlobal(x, machine.state().nextFunction);
    a.mutator().copy(x + 1, 1);
    a.mutator().set(x + 2, Values.UNDEFINED);
    return a.results(x, 3);
  }

  private int next(Arguments a) {
    a.checkTable(1);
    int x = a.scratch(3);
    if (a.count() >= 2) {
      a.mutator().copy(x + 2, 2);
    }
    return machine.parts().tables.next(x, 1, x + 2, 2) ? a.results(x, 2) : a.one(x);
  }

  private int rawget(Arguments a) {
    a.checkTable(1);
    a.checkAny(2);
    machine.rawGet(2, 1, 2);
    return a.one(2);
  }

  private int rawset(Arguments a) {
    a.checkTable(1);
    a.checkAny(2);
    a.checkAny(3);
    machine.rawSet(1, 2, 3);
    return a.one(1);
  }

  private int rawequal(Arguments a) {
    a.checkAny(1);
    a.checkAny(2);
    a.mutator().set(1, Values.ofBoolean(machine.rawEqual(1, 2)));
    return a.one(1);
  }

  private int rawlen(Arguments a) {
    if (a.count() > 0 && machine.isTable(1)) {
      machine.setInteger(1, machine.rawLength(1));
    } else if (a.count() > 0 && machine.isString(1)) {
      machine.setInteger(1, a.mutator().stringBytes(1));
    } else {
      throw a.typeError(1, "table or string");
    }
    return a.one(1);
  }

  private int select(Arguments a) {
    if (a.count() > 0 && machine.isString(1) && machine.string(1).equals("#")) {
      machine.setInteger(1, a.count() - 1L);
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

  private int getmetatable(Arguments a) {
    a.checkAny(1);
    int x = a.scratch(1);
    if (!machine.metamethod(x, 1, "__metatable") && !machine.metatable(x, 1)) {
      a.mutator().set(x, Values.UNDEFINED);
    }
    return a.one(x);
  }

  private int setmetatable(Arguments a) {
    a.checkTable(1);
    if (a.count() < 2 || (a.mutator().get(2) != Values.UNDEFINED && !machine.isTable(2))) {
      throw a.typeError(2, "nil or table");
    }
    int x = a.scratch(1);
    if (machine.metamethod(x, 1, "__metatable")) {
      throw a.error("cannot change a protected metatable");
    }
    machine.setMetatable(1, 2);
    return a.one(1);
  }

  private int assertTrue(Arguments a) {
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

  private int error(Arguments a) {
    long level = a.optInteger(2, 1);
    if (a.count() == 0) {
      int x = a.scratch(1);
      throw machine.error(x);
    }
    throw raise(a, 1, level);
  }

  /** Returns an error whose value is an argument. A string gets the position in front. */
  private LuaError raise(Arguments a, int value, long level) {
    if (machine.isString(value) && level > 0) {
      String where = machine.where((int) Math.min(level, Integer.MAX_VALUE));
      if (!where.isEmpty()) {
        int x = a.scratch(2);
        machine.setString(x, where);
        machine.chargeText(a.mutator().stringBytes(value));
        a.mutator().copy(x + 1, value);
        a.mutator().concat(value, x, 2);
      }
    }
    return machine.error(value);
  }

  private int warn(Arguments a) {
    a.work(a.count());
    a.checkString(1);
    for (int i = 2; i <= a.count(); i++) {
      a.checkString(i);
    }
    if (a.count() == 1 && machine.string(1).startsWith("@")) {
      switch (machine.string(1)) {
        case "@on" -> machine.warns = true;
        case "@off" -> machine.warns = false;
        default -> {}
      }
      return a.none();
    }
    if (machine.warns) {
      machine.writeError("Lua warning: ");
      for (int i = 1; i <= a.count(); i++) {
        machine.writeError(machine.string(i));
      }
      machine.writeError("\n");
    }
    return a.none();
  }

  // ---- chunks ----

  private int load(Arguments a) {
    Mutator t = a.mutator();
    String mode = a.option(3, "bt");
    boolean isText = machine.toText(1);
    try (Account.Loan loan = machine.account().borrow()) {
      String name;
      byte[] bytes;
      if (isText) {
        bytes = Chunks.bytes(a, 1, loan);
        name = Paths.upToZero(a.isNoneOrNil(2) ? machine.string(1) : text(a, 2));
      } else {
        if (a.count() == 0 || !machine.isFunction(1)) {
          throw a.typeError(1, "function");
        }
        name = a.isNoneOrNil(2) ? "=(load)" : Paths.upToZero(text(a, 2));
        bytes = Chunks.pieces(machine, a, 1, loan);
        if (bytes == null) {
          int x = a.scratch(2);
          machine.calls().protection().loadError(x + 1);
          machine.calls().protection().dropError(x);
          return a.results(x, 2);
        }
      }
      int x = a.scratch(2);
      if (a.count() >= 4) {
        t.copy(x, 4);
      } else {
        machine.loadGlobals(x);
      }
      return Chunks.load(machine, a, bytes, name, mode, x, loan);
    }
  }

  private String text(Arguments a, int i) {
    a.checkString(i);
    return machine.string(i);
  }
}
