package dev.gleaner.lua.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random programs of Lua 5.4 that mean harm: any library function with any arguments, nasty values,
 * metatables of every event, endings in odd places, coroutines, chunks within chunks.
 *
 * <p>Values have no types here, so most steps end by an error; each step is protected and shows
 * what came of it. Programs are of two kinds. A <em>comparable</em> program prints the same under
 * every Lua: its functions and loops pay fuel, and it does not call what depends on addresses, on
 * order, on time or on the host. A <em>wild</em> program calls everything, changes the libraries,
 * and need not end.
 */
final class HostileLua {
  /** What a comparable program calls; its arguments are any values. */
  private static final List<String> FUNCTIONS =
      List.of(
          ("assert error ipairs pcall rawequal rawget rawlen rawset select setmetatable tonumber"
               + " type xpcall coroutine.create coroutine.isyieldable coroutine.resume"
               + " coroutine.status coroutine.wrap coroutine.yield coroutine.close math.abs"
               + " math.acos math.ceil math.cos math.deg math.exp math.floor math.fmod math.log"
               + " math.max math.min math.modf math.rad math.sqrt math.tointeger math.type math.ult"
               + " string.byte string.char string.find string.gmatch string.gsub string.len"
               + " string.lower string.match string.pack string.packsize string.reverse string.sub"
               + " string.unpack string.upper table.insert table.pack table.remove table.sort"
               + " utf8.char utf8.codepoint utf8.len utf8.offset")
              .split(" "));

  /** What a wild program calls as well. */
  private static final List<String> WILD =
      List.of(
          ("collectgarbage utf8.codes dofile getmetatable load loadfile next pairs print require"
               + " tostring warn coroutine.running debug.getinfo debug.getlocal debug.sethook"
               + " debug.setmetatable debug.traceback debug.upvalueid io.read io.write math.random"
               + " math.randomseed os.clock os.date os.exit os.getenv os.time string.dump"
               + " string.format string.rep table.concat table.move table.unpack")
              .split(" "));

  private static final List<String> VALUES =
      List.of(
          ("nil|true|false|0|-0.0|1|-1|2|3|255|256|300|1.5|-2.5|1e15|2^53|1e308|math.huge|-math.huge|0/0|math.maxinteger|math.mininteger|math.maxinteger"
               + " + 0.0|''|'a'|'10'|'0x1p4'|' 7 '|'abc"
               + " abc'|'\\0\\xff\\u{7FFFFFFF}'|('x'):rep(40)|'%a+'|'.-b'|'^(.)%1'|'[^%d]*$'|'%b()'|'%f[%w]'|'()'|'%'|'['|'(a'|'%1'|'i4'|'>s2'|'!8"
               + " d z'|'i17'|'<I16'|'Xj'|'__index'|'n'|{}|{1, 2, 3}|{3, 1, 2, a = 1}|{{},"
               + " {}}|setmetatable({}, {__index = type})|print and type|string.rep|out|tick|error"
               + "|coroutine.create(out)|coroutine.wrap(out)|coroutine.yield")
              .split("\\|"));

  private static final List<String> WILD_VALUES =
      List.of(
          ("_G|_ENV|string|table|debug|io.stdout|getmetatable('')|('x'):rep(1 << 18)|1 << 31|1 <<"
                  + " 24|table.pack(('x'):byte(1, -1))|setmetatable({}, {__mode ="
                  + " 'k'})|load|coroutine.running()|string.dump(out)|debug.getregistry and 1")
              .split("\\|"));

  private static final List<String> EVENTS =
      List.of(
          ("__add __sub __mul __div __mod __pow __unm __idiv __band __bor __bxor __shl __shr __bnot"
                  + " __concat __len __eq __lt __le __call __index __newindex __close __tostring"
                  + " __name __metatable")
              .split(" "));

  private static final List<String> OPERATORS =
      List.of("+ - * / // % ^ .. == ~= < <= > >= & | ~ << >> and or".split(" "));

  private final Random random;
  private final boolean wild;
  private final StringBuilder text = new StringBuilder();
  private final List<String> scope = new ArrayList<>();
  private int names;
  private int depth;
  private boolean varargs = true;
  private boolean inLoop;

  /** How many programs this one is within. */
  private int nest;

  private HostileLua(long seed, boolean wild) {
    this.random = new Random(seed);
    this.wild = wild;
  }

  /**
   * {@return the program of a seed}
   *
   * @param seed any
   * @param wild true for a program that calls everything, false for one that can be compared
   */
  static String program(long seed, boolean wild) {
    HostileLua lua = new HostileLua(seed, wild);
    // Less than the depth at which C's stack ends in other Luas.
    int fuel = wild && lua.one(4) ? 1 << 30 : 150;
    lua.text.append(prelude(fuel));
    lua.scope.add("g0");
    for (int i = 3 + lua.random.nextInt(8); i > 0; i--) {
      lua.statement();
    }
    return lua.text.append("out('end')\n").toString();
  }

  /**
   * {@return steps of a wild program, without what they call by name}
   *
   * @param seed any
   * @param steps how many, in order
   */
  static String steps(long seed, int steps) {
    HostileLua lua = new HostileLua(seed, true);
    lua.scope.add("g0");
    for (int i = 0; i < steps; i++) {
      lua.statement();
    }
    return lua.text.toString();
  }

  /** {@return an expression of a wild program} */
  static String expression(long seed) {
    HostileLua lua = new HostileLua(seed, true);
    lua.scope.add("g0");
    return lua.fixed(2);
  }

  /** {@return the functions that steps call by name} */
  static String prelude(int fuel) {
    return String.format(
        """
        local pcall, type, select, print, error = pcall, type, select, print, error
        local format, gsub, sub, concat = string.format, string.gsub, string.sub, table.concat
        local fuel, g0, g1, g2 = %d
        local function tick()
          fuel = fuel - 1
          if fuel < 0 then error("no fuel", 0) end
        end
        local function show(v)
          local t = type(v)
          if t == "number" then return format("%%.14g", v) end
          if t == "string" then return #v .. ":" .. gsub(sub(v, 1, 60), "[^\\32-\\126]", "?") end
          return (t == "nil" or t == "boolean") and format("%%s", v) or t
        end
        local function out(...)
          local parts = {}
          for i = 1, select("#", ...) do
            if i > 6 then break end
            parts[i] = show((select(i, ...)))
          end
          print(concat(parts, " "))
        end
        local function try(f, ...) out(pcall(f, ...)) end
        """,
        fuel);
  }

  private boolean one(int in) {
    return random.nextInt(in) == 0;
  }

  private String any(List<String> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void add(String line) {
    text.append(" ".repeat(depth)).append(line).append('\n');
  }

  private String fresh() {
    return "v" + names++;
  }

  private void block(int statements) {
    int mark = scope.size();
    depth++;
    for (int i = 0; i < statements; i++) {
      statement();
    }
    if (one(6)) {
      add(one(2) && inLoop ? "do break end" : "do return " + arguments() + " end");
    }
    depth--;
    scope.subList(mark, scope.size()).clear();
  }

  private void statement() {
    switch (random.nextInt(depth > 3 ? 8 : 18)) {
      case 0, 1 -> {
        String name = fresh();
        add("local _, " + name + " = pcall(function() return " + fixed(3) + " end)");
        scope.add(name);
      }
      case 2, 3, 4 -> add("try(" + function() + ", " + arguments() + ")");
      case 5 -> add("try(function() return " + fixed(3) + " end)");
      case 6 -> add("try(function() " + target() + " = " + fixed(2) + " end)");
      case 7 -> add(any(scope) + " = " + value(2));
      case 8 -> loop("while " + value(1) + " do");
      case 9 ->
          loop("for " + named() + " = " + value(0) + ", " + value(0) + ", " + value(0) + " do");
      case 10 -> loop("for " + named() + ", w in " + value(1) + ", " + value(0) + " do");
      case 11 -> {
        add("if " + value(2) + " then");
        block(1 + random.nextInt(2));
        add("end");
      }
      case 12, 13 -> {
        String name = fresh();
        add("local function " + name + "(a, ...)");
        body("a");
        add("end");
        scope.add(name);
        add("try(" + name + ", " + arguments() + ")");
      }
      case 14 -> metatable();
      case 15 -> coroutine();
      case 16 -> closing();
      default -> chunk();
    }
  }

  private String named() {
    scope.add(fresh());
    return scope.getLast();
  }

  /** A loop in a call of its own, so that an error in its head does not end the program. */
  private void loop(String head) {
    int mark = scope.size() - (head.startsWith("for") ? 1 : 0);
    boolean outer = inLoop;
    boolean dots = varargs;
    varargs = false;
    inLoop = true;
    add("try(function()");
    add(head.replace("...", "nil"));
    add(" tick()");
    String label = "l" + names++;
    boolean jumps = one(3);
    if (jumps) {
      add(" if " + value(1) + " then goto " + label + " end");
      add(" do");
    }
    block(1 + random.nextInt(3));
    if (jumps) {
      add(" end");
      add(" ::" + label + "::");
    }
    add("end end)");
    inLoop = outer;
    varargs = dots;
    scope.subList(mark, scope.size()).clear();
  }

  private void body(String... parameters) {
    int mark = scope.size();
    boolean outer = inLoop;
    boolean dots = varargs;
    varargs = true;
    inLoop = false;
    scope.addAll(List.of(parameters));
    add(" tick()");
    block(1 + random.nextInt(3));
    add(" return " + (one(4) ? function() + "(" + arguments() + ")" : arguments()));
    scope.subList(mark, scope.size()).clear();
    inLoop = outer;
    varargs = dots;
  }

  private void metatable() {
    String name = fresh();
    add("local " + name + " = {" + (one(2) ? "" : "1, 2, a = 3") + "}");
    scope.add(name);
    add("try(setmetatable, " + name + ", {");
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      String event = wild && one(4) ? (one(2) ? "__gc" : "__mode") : any(EVENTS);
      if (one(3)) {
        add(" " + event + " = " + fixed(1) + ",");
      } else {
        add(" " + event + " = function(a, b, ...)");
        body("a", "b");
        add(" end,");
      }
    }
    add("})");
    for (int i = random.nextInt(4); i > 0; i--) {
      add("try(function() return " + name + " " + any(OPERATORS) + " " + fixed(1) + " end)");
      add("try(function() return " + fixed(1) + " " + any(OPERATORS) + " " + name + " end)");
    }
  }

  private void coroutine() {
    String name = fresh();
    add("local " + name + " = coroutine." + (one(2) ? "wrap" : "create") + "(function(a, ...)");
    body("a");
    add("end)");
    scope.add(name);
    for (int i = random.nextInt(4); i > 0; i--) {
      String call =
          switch (random.nextInt(4)) {
            case 0 -> "coroutine.close, ";
            case 1 -> "coroutine.status, ";
            default -> "coroutine.resume, ";
          };
      add(
          "try(type("
              + name
              + ") == 'function' and "
              + name
              + " or "
              + call
              + name
              + ", "
              + value(1)
              + ")");
    }
  }

  private void closing() {
    add("try(function(...)");
    add(" local " + fresh() + " <close> = setmetatable({}, {__close = function(a, ...)");
    depth++;
    body("a");
    depth--;
    add(" end})");
    int mark = scope.size();
    boolean outer = inLoop;
    inLoop = false;
    block(1 + random.nextInt(3));
    scope.subList(mark, scope.size()).clear();
    inLoop = outer;
    add("end, " + value(1) + ")");
  }

  /** A program within the program, whole or cut. */
  private void chunk() {
    HostileLua inner = new HostileLua(random.nextLong(), wild);
    inner.nest = nest + 1;
    inner.scope.add("g0");
    inner.text.append("local tick, out, try, g0, g1, g2 = ...\n");
    inner.depth = 3;
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      inner.statement();
    }
    String source = inner.text.toString();
    if (one(4)) {
      source = source.substring(0, random.nextInt(source.length()));
    }
    String equals = "=".repeat(Math.max(1, 9 - nest));
    String name = one(3) ? value(0) : "'=in'";
    add("do local f, e = load([" + equals + "[" + source + "]" + equals + "], " + name + ")");
    add("if f then try(f, tick, out, try, g0, g1, g2) else out(e) end end");
  }

  private String target() {
    return one(4)
        ? "g" + random.nextInt(3)
        : any(scope) + (one(2) ? ".a" : "[(" + fixed(1) + ") or nil]");
  }

  private String function() {
    if (one(4)) {
      return any(scope);
    }
    return any(wild && one(3) ? WILD : FUNCTIONS);
  }

  private String arguments() {
    StringBuilder list = new StringBuilder(value(2));
    for (int i = random.nextInt(4); i > 0; i--) {
      list.append(", ").append(value(1));
    }
    return list.append(varargs && one(6) ? ", ..." : "").toString();
  }

  /** A value within a function that has no dots. */
  private String fixed(int deep) {
    boolean outer = varargs;
    varargs = false;
    String s = value(deep);
    varargs = outer;
    return s;
  }

  private String value(int deep) {
    if (one(2)) {
      return any(scope);
    }
    if (varargs && one(8)) {
      return one(2) ? "(...)" : "select('#', ...)";
    }
    if (deep <= 0 || one(2)) {
      String s = any(wild && one(5) ? WILD_VALUES : VALUES);
      return "(" + s + ")";
    }
    return switch (random.nextInt(8)) {
      case 0, 1 -> "(" + value(deep - 1) + " " + any(OPERATORS) + " " + value(deep - 1) + ")";
      case 2 -> "(" + any(List.of("-", "not ", "~", "#")) + value(deep - 1) + ")";
      case 3 -> "(" + value(deep - 1) + ").a";
      case 4 -> "(" + value(deep - 1) + ")[" + value(deep - 1) + "]";
      case 5 -> function() + "(" + value(deep - 1) + ", " + value(deep - 1) + ")";
      case 6 -> "{" + value(deep - 1) + ", a = " + value(deep - 1) + "}";
      default -> "function(a) tick() return " + fixed(deep - 1).replace("...", "nil") + " end";
    };
  }
}
