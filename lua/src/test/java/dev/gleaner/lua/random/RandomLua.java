package dev.gleaner.lua.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random programs of Lua 5.4 that always end, print much, and print the same wherever they run.
 *
 * <p>What is generated is mostly well typed, so that programs get far; a few expressions are of any
 * type, so that errors and their messages are compared too. Each group of statements runs in a call
 * of its own that is protected. Every function and every cycle of a program pays fuel; at the end
 * of the fuel an error ends the program, at the same place everywhere.
 *
 * <p>Nothing that is printed depends on an address, on the order of {@code pairs}, on time, or on
 * the host. Sequences have no holes, since their borders are left open: what a constructor lists
 * goes through {@code some}, and numbers as keys through {@code key}, which makes them negative.
 */
public final class RandomLua {
  /** What a generated expression is wanted to be. */
  private enum Type {
    INTEGER,
    FLOAT,
    STRING,
    BOOLEAN,
    TABLE,
    FUNCTION,
    ANY
  }

  private static final List<Type> CERTAIN =
      List.of(Type.INTEGER, Type.FLOAT, Type.STRING, Type.BOOLEAN, Type.TABLE, Type.FUNCTION);

  private record Variable(String name, Type type, boolean constant) {}

  /** Shows a value without its address; a table by its border and three of its entries. */
  private static final String PRELUDE =
      """
      local fuel = 4000
      local function tick()
        fuel = fuel - 1
        if fuel < 0 then error("no fuel", 0) end
      end
      local function plain(v)
        local t = type(v)
        return (t == "number" or t == "string" or t == "boolean") and tostring(v) or t
      end
      local function show(v)
        local t = type(v)
        if t == "table" then
          local m = getmetatable(v)
          return (m and m.__tostring and tostring(v) or t)
            .. "#" .. #v .. "(" .. plain(rawget(v, 1)) .. "," .. plain(v.a) .. ")"
        elseif t == "function" or t == "thread" or t == "userdata" then
          return t
        end
        return tostring(v)
      end
      local function text(v)
        local t = type(v)
        local m = t == "table" and getmetatable(v)
        return m and m.__tostring and tostring(v) or plain(v)
      end
      local function out(...)
        local parts = {}
        for i = 1, select("#", ...) do
          local ok, text = pcall(show, (select(i, ...)))
          parts[i] = ok and text or "shown not: " .. tostring(text)
        end
        print(table.concat(parts, " "))
      end
      local function key(k)
        return math.type(k) and k > 0 and -k or k
      end
      local function some(...)
        local r = table.pack(...)
        for i = 1, r.n do
          if r[i] == nil then r[i] = false end
        end
        return table.unpack(r, 1, r.n)
      end
      local function guard(f, ...)
        local r = table.pack(pcall(f, ...))
        out(table.unpack(r, 1, r.n))
      end
      """;

  private static final List<String> TEXTS =
      List.of(
          "\"\"",
          "\"abc\"",
          "'10'",
          "'0x1p4'",
          "\"a,b,,c\"",
          "'two\\nlines'",
          "'\\0\\xff\\u{20AC}\\z   end'",
          "' 3 '",
          "'hello world'",
          "'%d+'");

  private static final List<String> PATTERNS =
      List.of(
          "'%a+'",
          "'.-'",
          "'(%w)(%w*)'",
          "'^%s*(.-)%s*$'",
          "','",
          "'%d'",
          "'[^,]*'",
          "'()'",
          "'%f[%w]%w+'",
          "'(.)%1'",
          "'%b()'",
          "'[a-c]+'");

  private static final List<String> FIELDS = List.of("a", "b", "c", "name");

  private final Random random;
  private final StringBuilder text = new StringBuilder();
  private final List<Variable> scope = new ArrayList<>();

  /** Where the variables of the function around begin: to have some upvalues, but not all. */
  private int depth;

  private int names;
  private int loops;
  private int indent;
  private boolean varargs;

  /** Whether the program uses the debug library. */
  private final boolean traced;

  /** Whether the program shows what weak tables hold, and which finalizers ran. */
  private final boolean weak;

  /** Whether the program shows in which order finalizers ran. */
  private final boolean ordered;

  private RandomLua(long seed, boolean traced, boolean weak, boolean ordered) {
    random = new Random(seed);
    this.traced = traced;
    this.weak = weak;
    this.ordered = ordered;
  }

  /**
   * {@return the program of a seed, for guests with few rights and any collector}
   *
   * @param seed any
   */
  public static String program(long seed) {
    return program(seed, false, false, false);
  }

  /** {@return the program of a seed, with weak tables and finalizers} */
  public static String programWithGarbage(long seed) {
    return program(seed, false, true, false);
  }

  /**
   * {@return the program of a seed}
   *
   * @param seed any
   * @param traced whether the program uses the debug library; it has hooks then
   * @param weak whether the program has weak tables and finalizers
   * @param ordered whether finalizers run in the order of lua5.4, and only in full collections
   */
  static String program(long seed, boolean traced, boolean weak, boolean ordered) {
    RandomLua lua = new RandomLua(seed, traced, weak, ordered);
    lua.text.append(PRELUDE);
    if (weak) {
      lua.text.append(WeakLua.prelude(ordered));
    }
    if (traced) {
      int before = (int) lua.text.chars().filter(c -> c == '\n').count();
      lua.text.append(HookLua.prelude(before, weak));
    }
    int groups = 3 + lua.random.nextInt(6);
    for (int i = 0; i < groups; i++) {
      lua.group();
    }
    if (traced) {
      lua.line("debug.sethook()");
    }
    if (ordered) { // a statement about garbage has stopped collections
      lua.line("collectgarbage('restart')");
    }
    lua.line("out(\"end\", fuel)");
    return lua.text.toString();
  }

  private void line(String s) {
    text.append("  ".repeat(indent)).append(s).append('\n');
  }

  private boolean one(int in) {
    return random.nextInt(in) == 0;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private String fresh() {
    return "v" + names++;
  }

  // ---- statements ----

  private void group() {
    if (one(3)) { // for all groups that follow, whatever its value
      Type type = anyType();
      String value = fixed(type, 3);
      String name = fresh();
      line("local " + name + " = select(2, pcall(function() return " + value + " end))");
      scope.add(new Variable(name, type, false));
    }
    line("guard(function(...)");
    boolean outer = varargs;
    varargs = true;
    int before = loops;
    loops = 0;
    block(2 + random.nextInt(5));
    loops = before;
    varargs = outer;
    line("end, " + any(TEXTS) + ", " + random.nextInt(9) + ")");
  }

  private void block(int statements) {
    int mark = scope.size();
    indent++;
    depth++;
    for (int i = 0; i < statements; i++) {
      statement();
    }
    if (depth > 1 && one(4)) {
      line("do return " + expressions(random.nextInt(3)) + " end");
    }
    depth--;
    indent--;
    scope.subList(mark, scope.size()).clear();
  }

  private String expressions(int n) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < n; i++) {
      s.append(i == 0 ? "" : ", ").append(expression(Type.ANY, 2));
    }
    return s.toString();
  }

  private Type anyType() {
    return Type.values()[random.nextInt(Type.values().length)];
  }

  private void declare() {
    Type type = anyType();
    String name = fresh();
    String attribute = one(8) ? " <const>" : "";
    line("local " + name + attribute + " = " + expression(type, 3));
    scope.add(new Variable(name, type, !attribute.isEmpty()));
  }

  private void statement() {
    boolean deep = depth > 4;
    if (traced && one(4)) {
      traced(deep);
      return;
    }
    switch (random.nextInt(deep ? 9 : 20)) {
      case 0, 1, 2 -> declare();
      case 3, 4 -> assign();
      case 5, 6 -> line("out(" + expressions(1 + random.nextInt(3)) + ")");
      case 7 -> declareSeveral(2 + random.nextInt(2));
      case 8 -> tableStatement();
      case 9, 10 -> condition();
      case 11, 12 -> numericFor();
      case 13 -> whileOrRepeat();
      case 14 -> genericFor();
      case 15 -> function();
      case 16 -> coroutine();
      case 17 -> metatable();
      case 18 -> {
        if (weak) {
          WeakLua.statement(random, names++, ordered).forEach(this::line);
        } else {
          closing();
        }
      }
      default -> closing();
    }
  }

  private void declareSeveral(int n) {
    StringBuilder list = new StringBuilder();
    List<Variable> made = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      made.add(new Variable(fresh(), Type.ANY, false));
      list.append(i == 0 ? "" : ", ").append(made.getLast().name());
    }
    line("local " + list + " = " + expressions(2));
    scope.addAll(made);
  }

  private void assign() {
    Variable v = variable(null, false);
    if (v == null || v.constant()) {
      line("g" + random.nextInt(3) + " = " + expression(Type.ANY, 3));
    } else if (one(4)) {
      Variable w = variable(null, false);
      String second = w == null || w.constant() ? "g0" : w.name();
      line(v.name() + ", " + second + " = " + second + ", " + v.name());
    } else {
      line(v.name() + " = " + expression(one(12) ? Type.ANY : v.type(), 3));
    }
  }

  private void tableStatement() {
    String t = expression(Type.TABLE, 0);
    switch (random.nextInt(7)) {
      case 0 -> line("table.insert(" + t + ", " + expression(Type.ANY, 2) + ")");
      case 1 -> line("out(table.remove(" + t + "))");
      case 2 -> line(prefix(t) + "." + any(FIELDS) + " = " + expression(Type.ANY, 2));
      case 3 ->
          line(
              prefix(t)
                  + "[key("
                  + expression(Type.INTEGER, 1)
                  + ")] = "
                  + expression(Type.ANY, 2));
      case 4 -> line("table.sort(" + t + ", function(x, y) tick() return show(x) < show(y) end)");
      case 5 -> line("out(table.unpack(" + t + ", 1, " + random.nextInt(4) + "))");
      default ->
          line(prefix(t) + "[key(" + expression(Type.FLOAT, 1) + ")] = " + expression(Type.ANY, 2));
    }
  }

  private static String prefix(String t) {
    return t.matches("[vg]\\d+") ? t : ";(" + t + ")";
  }

  private void condition() {
    line("if " + expression(one(4) ? Type.ANY : Type.BOOLEAN, 3) + " then");
    block(1 + random.nextInt(3));
    if (one(3)) {
      line("elseif " + expression(Type.BOOLEAN, 2) + " then");
      block(1 + random.nextInt(2));
    }
    if (one(2)) {
      line("else");
      block(1 + random.nextInt(2));
    }
    line("end");
  }

  private void numericFor() {
    String name = fresh();
    int step = random.nextInt(7) - 3;
    boolean isFloat = one(5);
    String range =
        isFloat
            ? random.nextInt(3)
                + ".5, "
                + (3 + random.nextInt(4))
                + ", 0."
                + (1 + random.nextInt(9))
            : step == 0
                ? "1, " + random.nextInt(6)
                : step > 0
                    ? random.nextInt(3) + ", " + random.nextInt(12) + ", " + step
                    : random.nextInt(12) + ", " + random.nextInt(3) + ", " + step;
    if (one(15)) {
      range = expression(Type.ANY, 1) + ", 3";
    }
    if (one(20)) {
      range = "math.maxinteger - 1, math.maxinteger";
    }
    line("for " + name + " = " + range + " do");
    scope.add(new Variable(name, isFloat ? Type.FLOAT : Type.INTEGER, false));
    cycle(name);
    scope.removeLast();
    line("end");
  }

  private void cycle(String shown) {
    indent++;
    line("tick()");
    indent--;
    loops++;
    boolean skips = one(4);
    if (skips) {
      indent++;
      line("if " + expression(Type.BOOLEAN, 1) + " then goto next" + loops + " end");
      line("do");
      indent--;
    }
    block(1 + random.nextInt(3));
    indent++;
    if (one(5)) {
      line("if " + expression(Type.BOOLEAN, 1) + " then break end");
    }
    if (one(2)) {
      line("out(" + shown + ")");
    }
    if (skips) {
      line("end");
      line("::next" + loops + "::");
    }
    indent--;
    loops--;
  }

  private void whileOrRepeat() {
    String name = fresh();
    line("local " + name + " = " + random.nextInt(5));
    scope.add(new Variable(name, Type.INTEGER, true)); // nobody else changes it
    if (one(2)) {
      line("while " + name + " > 0 do");
      line("  " + name + " = " + name + " - 1");
      cycle(name);
      line("end");
    } else {
      line("repeat");
      line("  " + name + " = " + name + " - 1");
      line("  tick()");
      block(1 + random.nextInt(2));
      line("  local done = " + name + " <= 0");
      line("until done");
    }
  }

  private void genericFor() {
    String k = fresh();
    String v = fresh();
    String source =
        switch (random.nextInt(4)) {
          case 0 -> "ipairs(" + expression(Type.TABLE, 1) + ")";
          case 1 -> "string.gmatch(" + expression(Type.STRING, 1) + ", " + any(PATTERNS) + ")";
          case 2 -> "function(s, i) if i < s then return i + 1, i * i end end, 3, 0";
          default ->
              "coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i, "
                  + fixed(Type.ANY, 1)
                  + ") end end)";
        };
    line("for " + k + ", " + v + " in " + source + " do");
    scope.add(new Variable(k, Type.ANY, false));
    scope.add(new Variable(v, Type.ANY, false));
    cycle(k);
    scope.removeLast();
    scope.removeLast();
    line("end");
  }

  private void function() {
    String name = fresh();
    line("local function " + name + "(" + parameters());
    functionBody();
    line("end");
    scope.add(new Variable(name, Type.FUNCTION, false));
  }

  private List<Variable> waiting = List.of();

  private String parameters() {
    int n = random.nextInt(3);
    boolean dots = one(3);
    StringBuilder s = new StringBuilder();
    List<Variable> made = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      String p = fresh();
      s.append(i == 0 ? "" : ", ").append(p);
      made.add(new Variable(p, Type.ANY, false));
    }
    if (dots) {
      s.append(n == 0 ? "..." : ", ...");
    }
    waiting = made;
    nextVarargs = dots;
    return s.append(")").toString();
  }

  private boolean nextVarargs;

  /** The body of the function whose parameters were written last. */
  private void functionBody() {
    int mark = scope.size();
    scope.addAll(waiting);
    waiting = List.of();
    boolean outer = varargs;
    varargs = nextVarargs;
    int before = loops;
    loops = 0;
    indent++;
    line("tick()");
    indent--;
    block(1 + random.nextInt(3));
    indent++;
    String tail = one(4) && !scope.isEmpty() ? tailCall() : expressions(random.nextInt(4));
    line("return " + tail);
    indent--;
    loops = before;
    varargs = outer;
    scope.subList(mark, scope.size()).clear();
  }

  private String tailCall() {
    return "(" + expression(Type.FUNCTION, 0) + ")(" + expressions(random.nextInt(3)) + ")";
  }

  private void coroutine() {
    String name = fresh();
    line("local " + name + " = coroutine." + (one(2) ? "create" : "wrap") + "(function(...)");
    boolean outer = varargs;
    varargs = true;
    int before = loops;
    loops = 0;
    indent++;
    depth++;
    int yields = random.nextInt(4);
    int mark = scope.size();
    for (int i = 0; i < yields; i++) {
      if (one(2)) {
        statement();
      }
      line(
          one(3)
              ? "out(pcall(function(...) return coroutine.yield(...) end, "
                  + expression(Type.ANY, 2)
                  + "))"
              : "out(coroutine.yield(" + expressions(random.nextInt(3)) + "))");
    }
    if (one(5)) {
      line("error(" + expression(Type.ANY, 1) + ")");
    }
    line("return " + expressions(random.nextInt(3)));
    scope.subList(mark, scope.size()).clear();
    depth--;
    indent--;
    loops = before;
    varargs = outer;
    line("end)");
    boolean looked = traced && one(2);
    if (traced && one(3)) {
      line("if type(" + name + ") == 'thread' then " + HookLua.set(random, name) + " end");
    }
    for (int i = random.nextInt(4); i >= 0; i--) {
      if (looked) {
        line("if type(" + name + ") == 'thread' and coroutine.status(" + name + ") ~= 'dead' then");
        line("  hooked(" + name + ")");
        line("  print((debug.traceback(" + name + "):gsub('\\n%s*', '; ')))");
        line("end");
      }
      String args = expressions(1);
      line("if type(" + name + ") == 'thread' then");
      line("  out(coroutine.resume(" + name + ", " + args + "))");
      line("  out(coroutine.status(" + name + "))");
      line("else guard(" + name + ", " + args + ") end");
    }
    if (one(3)) {
      line("if type(" + name + ") == 'thread' then out(coroutine.close(" + name + ")) end");
    }
  }

  private static final List<String> EVENTS =
      List.of(
          "__add",
          "__sub",
          "__mul",
          "__div",
          "__mod",
          "__pow",
          "__unm",
          "__idiv",
          "__band",
          "__bor",
          "__bxor",
          "__shl",
          "__shr",
          "__bnot",
          "__concat",
          "__len",
          "__eq",
          "__lt",
          "__le",
          "__call",
          "__tostring",
          "__name");

  private void metatable() {
    String name = fresh();
    line("local " + name + " = setmetatable(" + table(1) + ", {");
    indent++;
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      String event = any(EVENTS);
      String value =
          switch (event) {
            case "__name" -> "'Sort'";
            case "__tostring" -> "function() return " + fixed(Type.STRING, 1) + " end";
            case "__len" -> "function() return " + fixed(Type.INTEGER, 1) + " end";
            default ->
                "function(x, y) tick() return " + (one(3) ? "y" : fixed(Type.ANY, 2)) + " end";
          };
      line(event + " = " + value + ",");
    }
    switch (random.nextInt(4)) {
      case 0 -> line("__index = " + expression(Type.TABLE, 1) + ",");
      case 1 -> line("__index = function(t, k) tick() return k end,");
      case 2 -> line("__newindex = function(t, k, v) tick() rawset(t, k, v) out(k, v) end,");
      default -> {}
    }
    indent--;
    line("})");
    scope.add(new Variable(name, Type.TABLE, false));
    String other = fixed(Type.ANY, 1);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String operation =
          any(List.of("+", "-", "*", "//", "..", "<", "<=", "==", "&", "|", "<<", "%", "^", "~"));
      line(
          "guard(function() return "
              + (one(2)
                  ? name + " " + operation + " " + other
                  : other + " " + operation + " " + name)
              + " end)");
    }
    line("guard(function() return #" + name + ", -" + name + " end)");
    line("guard(function() return " + name + ".a, " + name + "(1) end)");
  }

  private void closing() {
    line("do");
    indent++;
    String name = fresh();
    line(
        "local "
            + name
            + " <close> = setmetatable({}, {__close = function(_, e) tick() out('closed', e) "
            + (one(6) ? "error('in close', 0) " : "")
            + "end})");
    indent--;
    block(1 + random.nextInt(3));
    line("end");
  }

  // ---- statements that use the debug library ----

  private void traced(boolean deep) {
    switch (random.nextInt(deep ? 10 : 14)) {
      case 0, 1 -> line(HookLua.set(random, "nil"));
      case 2 -> line("debug.sethook()");
      case 3 -> line("hooked()");
      case 4 -> line("print(stack(" + any(TRACEBACKS) + "))");
      case 5 -> line("print(where(debug.getinfo(1, 'nSlt')))");
      case 6 -> line("print(fields(" + (one(2) ? "1" : function(1)) + "))");
      case 7 -> line("print(fields(1, '" + any(OPTIONS) + "'))");
      case 8 -> line("print(values(1, 1, 99))");
      case 9 -> line("print(debug.getlocal(" + function(1) + ", 1))");
      case 10 -> named();
      case 11 -> watched();
      case 12 -> variables();
      default -> busy();
    }
  }

  private String function(int deep) {
    return "func(" + expression(Type.FUNCTION, deep) + ")";
  }

  private static final List<String> TRACEBACKS = List.of("", "'m'", "'m', 1", "'m', 2", "nil", "1");
  private static final List<String> OPTIONS =
      List.of("n", "S", "l", "u", "t", "r", "f", "L", "nSl", "nSltufrL", "SL");

  /** A function that is called by a name of each kind. */
  private void named() {
    String name = fresh();
    String head =
        switch (random.nextInt(4)) {
          case 0 -> "function G" + name;
          case 1 -> "local " + name + " = {} function " + name + ".field";
          case 2 -> "local " + name + " = {} function " + name + ":method";
          default -> "local " + name + " = setmetatable({}, {__" + any(CALLED) + " = function";
        };
    line(head + " (" + parameters());
    functionBody();
    line(head.endsWith("= function") ? "end})" : "end");
    String call =
        switch (head.charAt(head.length() - 1)) {
          case 'd' -> name + (head.endsWith(".field") ? ".field" : ":method");
          case 'n' -> "";
          default -> "G" + name;
        };
    call = call.isEmpty() ? any(USES).replace("%s", name) : call + "(" + expressions(2) + ")";
    line("guard(function(...) " + (one(3) ? "return " : "local r = ") + call + " end)");
  }

  private static final List<String> USES =
      List.of("#%s", "-%s", "%s + 1", "%s .. 'x'", "%s < %s", "%s()", "%s.x", "%s == {}", "~%s");

  private static final List<String> CALLED =
      List.of("len", "unm", "add", "concat", "lt", "call", "index", "eq", "bnot");

  /** Statements under a hook, which also goes at their end. */
  private void watched() {
    line(HookLua.set(random, "nil"));
    line("do");
    block(1 + random.nextInt(4));
    line("end");
    line("debug.sethook()");
  }

  private void variables() {
    line("for k = 1, 3 do");
    line("  local i = debug.getinfo(k, 'S')");
    line("  if i and i.what ~= 'C' then print(k, values(k, 1, 99)) end");
    line("  if not i or i.what == 'main' then break end");
    line("  print('extra', (values(k, -2, -1)))");
    line("end");
  }

  /** A count hook in a loop is called some times, and not more than there are instructions. */
  private void busy() {
    line("hook(nil, 'line', 1, false, '', " + (1 + random.nextInt(50)) + ")");
    line("do local n = 0 for i = 1, 200 do n = n + i end end");
    line("debug.sethook()");
    line("print('count', counted > 2, counted < 2000)");
  }

  // ---- expressions ----

  /** One of the variables that are seen, of a type or of any. */
  private Variable variable(Type type, boolean orAny) {
    for (int i = 0; i < 6 && !scope.isEmpty(); i++) {
      Variable v = any(scope);
      if (type == null || v.type() == type || (orAny && v.type() == Type.ANY)) {
        return v;
      }
    }
    return null;
  }

  private String expression(Type wanted, int deep) {
    Type type = one(40) ? anyType() : wanted;
    if (one(2)) {
      Variable v = variable(type == Type.ANY ? null : type, one(10));
      if (v != null) {
        return v.name();
      }
    }
    if (varargs && type == Type.ANY && one(6)) {
      return one(2) ? "(...)" : "select('#', ...)";
    }
    if (deep > 0 && one(20)) {
      Variable v = variable(type == Type.ANY ? null : type, false);
      if (v != null && !v.constant()) {
        return change(v, deep - 1);
      }
    }
    if (deep > 0 && one(25)) {
      return "(" + expression(Type.TABLE, 0) + ")." + any(FIELDS);
    }
    if (deep > 0 && one(30)) {
      return "(" + expression(Type.TABLE, 0) + ")[ " + expression(Type.INTEGER, 0) + "]";
    }
    return switch (type) {
      case INTEGER -> integer(deep);
      case FLOAT -> floating(deep);
      case STRING -> string(deep);
      case BOOLEAN -> bool(deep);
      case TABLE -> table(deep);
      case FUNCTION -> lambda(deep);
      case ANY -> one(8) ? any(List.of("nil", "g0", "g1", "g2")) : expression(any(CERTAIN), deep);
    };
  }

  /** A call that changes a variable, which may be another operand. */
  private String change(Variable v, int deep) {
    String value = fixed(v.type(), deep);
    return "(function() tick() " + v.name() + " = " + value + " return " + v.name() + " end)()";
  }

  /** An expression inside of a function that has no {@code ...}. */
  private String fixed(Type type, int deep) {
    boolean outer = varargs;
    varargs = false;
    String s = expression(type, deep);
    varargs = outer;
    return s;
  }

  private String binary(Type a, String operation, Type b, int deep) {
    Variable v = one(12) ? variable(a, false) : null;
    if (v != null && !v.constant() && a == b) { // the right operand changes the left one
      return "(" + v.name() + " " + operation + " " + change(v, deep - 1) + ")";
    }
    return "(" + expression(a, deep - 1) + " " + operation + " " + expression(b, deep - 1) + ")";
  }

  private String integer(int deep) {
    if (deep <= 0 || one(3)) {
      return switch (random.nextInt(12)) {
        case 0 -> "math.maxinteger";
        case 1 -> "math.mininteger";
        case 2 -> "0x" + Integer.toHexString(random.nextInt());
        case 3 -> Long.toString(random.nextLong() >>> 1 >>> random.nextInt(60));
        case 4 -> "(-" + random.nextInt(100) + ")";
        default -> Integer.toString(random.nextInt(10));
      };
    }
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> binary(Type.INTEGER, any(List.of("+", "-", "*")), Type.INTEGER, deep);
      case 3 -> binary(Type.INTEGER, any(List.of("//", "%")), Type.INTEGER, deep);
      case 4 -> binary(Type.INTEGER, any(List.of("&", "|", "~", "<<", ">>")), Type.INTEGER, deep);
      case 5 -> "(~" + expression(Type.INTEGER, deep - 1) + ")";
      case 6 -> "#" + atom(Type.STRING, deep);
      case 7 -> "#" + atom(Type.TABLE, deep);
      case 8 -> "math.floor(" + expression(Type.FLOAT, deep - 1) + ")";
      case 9 -> "math.tointeger(" + expression(Type.FLOAT, deep - 1) + ")";
      case 10 -> "string.byte(" + expression(Type.STRING, deep - 1) + ")";
      default -> "select('#', " + expression(Type.ANY, deep - 1) + ", " + call(deep) + ")";
    };
  }

  private String atom(Type type, int deep) {
    return "(" + expression(type, deep - 1) + ")";
  }

  private String floating(int deep) {
    if (deep <= 0 || one(3)) {
      return switch (random.nextInt(8)) {
        case 0 -> "1e308";
        case 1 -> "-0.0";
        case 2 -> "math.huge";
        case 3 -> "0x.8p1";
        case 4 -> "2^53";
        default -> random.nextInt(100) + "." + random.nextInt(100);
      };
    }
    return switch (random.nextInt(6)) {
      case 0, 1 -> binary(Type.FLOAT, any(List.of("+", "-", "*", "/")), Type.FLOAT, deep);
      case 2 -> binary(Type.INTEGER, "/", Type.INTEGER, deep);
      case 3 -> binary(Type.FLOAT, any(List.of("%", "//")), Type.INTEGER, deep);
      case 4 -> "math.abs(" + expression(Type.FLOAT, deep - 1) + ")";
      default -> "tonumber(" + expression(Type.STRING, deep - 1) + ")";
    };
  }

  private String string(int deep) {
    if (deep <= 0 || one(3)) {
      return any(TEXTS);
    }
    return switch (random.nextInt(13)) {
      case 0, 1 -> binary(Type.STRING, "..", one(3) ? Type.INTEGER : Type.STRING, deep);
      case 2 -> "text(" + expression(Type.INTEGER, deep - 1) + ")";
      case 3 -> "text(" + expression(Type.FLOAT, deep - 1) + ")";
      case 4 ->
          atom(Type.STRING, deep)
              + ":sub("
              + (random.nextInt(9) - 4)
              + ", "
              + (random.nextInt(9) - 4)
              + ")";
      case 5 -> atom(Type.STRING, deep) + any(List.of(":upper()", ":reverse()", ":lower()"));
      case 6 -> "string.rep(" + expression(Type.STRING, deep - 1) + ", " + random.nextInt(4) + ")";
      case 7 ->
          "(string.gsub("
              + expression(Type.STRING, deep - 1)
              + ", "
              + any(PATTERNS)
              + ", "
              + any(List.of("'<%0>'", "'%%'", "function(x) return x end", "{a = 'A', b = false}"))
              + "))";
      case 8 ->
          "string.format('"
              + any(List.of("%5d|%x", "%-5d|%X", "%+d|%o", "%05d|%c"))
              + "', "
              + random.nextInt(100)
              + ", "
              + (32 + random.nextInt(90))
              + ")";
      case 9 ->
          "string.format('"
              + any(List.of("%.3f", "%g", "%e", "%.14g", "%10.2f", "%a"))
              + "', "
              + expression(Type.FLOAT, deep - 1)
              + ")";
      case 10 -> "string.format('%q', " + expression(Type.STRING, deep - 1) + ")";
      case 11 -> "type(" + expression(Type.ANY, deep - 1) + ")";
      default -> "string.match(" + expression(Type.STRING, deep - 1) + ", " + any(PATTERNS) + ")";
    };
  }

  private String bool(int deep) {
    if (deep <= 0 || one(5)) {
      return one(2) ? "true" : "false";
    }
    return switch (random.nextInt(9)) {
      case 0 -> binary(Type.INTEGER, any(List.of("<", "<=", ">", ">=")), Type.INTEGER, deep);
      case 1 -> binary(Type.INTEGER, any(List.of("<", "<=", "==", "~=")), Type.FLOAT, deep);
      case 2 -> binary(Type.STRING, any(List.of("<", "<=", ">", "==")), Type.STRING, deep);
      case 3 -> binary(Type.ANY, any(List.of("==", "~=")), Type.ANY, deep);
      case 4 -> "(not " + expression(Type.ANY, deep - 1) + ")";
      case 5 -> binary(Type.BOOLEAN, "and", Type.BOOLEAN, deep);
      case 6 -> binary(Type.BOOLEAN, "or", Type.BOOLEAN, deep);
      case 7 -> "rawequal(" + expression(Type.ANY, deep - 1) + ", " + expression(Type.ANY, 0) + ")";
      default -> "(pcall(" + expression(Type.FUNCTION, 0) + "))";
    };
  }

  private String table(int deep) {
    StringBuilder s = new StringBuilder("{");
    int n = deep <= 0 ? random.nextInt(2) : random.nextInt(5);
    for (int i = 0; i < n; i++) {
      switch (random.nextInt(4)) {
        case 0 -> s.append(any(FIELDS)).append(" = ").append(expression(Type.ANY, deep - 1));
        case 1 ->
            s.append("[key(")
                .append(expression(one(2) ? Type.INTEGER : Type.STRING, 0))
                .append(")] = ")
                .append(expression(Type.ANY, deep - 1));
        default -> s.append("(some(").append(expression(Type.ANY, deep - 1)).append("))");
      }
      s.append(one(6) ? "; " : ", ");
    }
    if (varargs && one(6)) {
      s.append("some(...)");
    } else if (deep > 0 && one(6)) {
      s.append("some(").append(call(deep)).append(')');
    }
    return s.append("}").toString();
  }

  private String call(int deep) {
    return "(" + expression(Type.FUNCTION, 0) + ")(" + expressions(Math.min(deep, 2)) + ")";
  }

  private String lambda(int deep) {
    if (deep <= 0) {
      return any(List.of("show", "type", "text", "select", "math.max", "string.len", "error"));
    }
    int mark = scope.size();
    boolean outer = varargs;
    String parameters = parameters();
    scope.addAll(waiting);
    waiting = List.of();
    varargs = nextVarargs;
    String s =
        "(function(" + parameters + " tick() return " + expressions(random.nextInt(3)) + " end)";
    varargs = outer;
    scope.subList(mark, scope.size()).clear();
    return s;
  }
}
