package dev.gleaner.lua.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random statements about garbage: weak tables, ephemerons, finalizers, and what holds an element.
 *
 * <p>A statement makes elements, enters them in weak tables, lets some go, collects twice, and
 * shows what is left. Each element is then surely dead or surely held: what holds it is read later.
 * Between letting go and collecting nothing looks at the tables, so a collection that comes earlier
 * changes nothing.
 *
 * <p>Statements are of two kinds. <em>Ordered</em> ones show in which order finalizers ran, and
 * have finalizers that bring back an element or look into weak tables. Only a collector that calls
 * finalizers after it has found all that is dead does the same, and only if the heap does not
 * collect on its own. The others collect so often that a collector gets to all, which finalizes an
 * element before what it refers to.
 */
final class WeakLua {
  /**
   * What statements call: {@code held} has elements by name, {@code log} names of finalizers that
   * ran, {@code ids} the names of elements that are left. A table here holds the key that a walk
   * came to last, and the one removed last: {@code touch} makes these one that is no element.
   */
  private static final String PRELUDE =
      """
      local held, log, ids = {}, {}, setmetatable({}, {__mode = "k"})
      local function put(name, o) ids[o] = name held[name] = o end
      local function touch(w) w.z = nil w.z = "" end
      local function enter(w, k, v)
        if w and k ~= nil then w[k] = v end
        if v == nil then touch(w) end
      end
      local function link(a, k, b) if type(a) == "table" and k ~= nil then rawset(a, k, b) end end
      local function id(v) return ids[v] or plain(v) end
      local function collect() for _ = 1, ROUNDS do collectgarbage() end end
      local function entries(w)
        local list = {}
        touch(w)
        for k, v in pairs(w) do list[#list + 1] = id(k) .. "=" .. id(v) end
        table.sort(list)
        print("weak", table.concat(list, " "))
      end
      local function finalized(ordered)
        if ordered then print("order " .. table.concat(log, " ")) end
        table.sort(log)
        print("finalized", table.concat(log, " "))
        log = {}
      end
      """;

  private final Random random;
  private final boolean ordered;
  private final List<String> lines = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<String> tables = new ArrayList<>();

  /** {@return the functions that statements call} */
  static String prelude(boolean ordered) {
    return PRELUDE.replace("ROUNDS", ordered ? "2" : "6");
  }

  private WeakLua(Random random, boolean ordered) {
    this.random = random;
    this.ordered = ordered;
  }

  /**
   * {@return the lines of a statement}
   *
   * @param first a number for the names of its variables; those behind it are taken, too
   * @param ordered whether it shows the order of finalizers
   */
  static List<String> statement(Random random, int first, boolean ordered) {
    WeakLua weak = new WeakLua(random, ordered);
    weak.make(first);
    return weak.lines;
  }

  private boolean one(int in) {
    return random.nextInt(in) == 0;
  }

  private String any(List<String> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void line(String s) {
    lines.add(s);
  }

  private void make(int first) {
    line("do");
    line("collectgarbage('stop')");
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      tables.add("w" + first + "_" + tables.size());
      line("local " + tables.getLast() + " = " + weakTable());
    }
    for (int i = 2 + random.nextInt(6); i > 0; i--) {
      element("o" + first + "_" + names.size());
    }
    int phases = 1 + random.nextInt(3);
    for (int phase = 0; phase < phases; phase++) {
      if (phase > 0 && one(4)) { // what is in a table now is held
        line("setmetatable(" + any(tables) + ", " + mode() + ")");
      }
      for (int i = 2 + random.nextInt(10); i > 0; i--) {
        change();
      }
      if (one(3)) {
        holder();
        if (!ordered) { // what the holder held may be gone at once
          line("collect()");
        }
      } else {
        drop();
        collect();
      }
      tables.forEach(w -> line("entries(" + w + ")"));
      line("finalized(" + ordered + ")");
    }
    line("held = {}");
    if (ordered || one(2)) {
      line("collect()");
      tables.forEach(w -> line("entries(" + w + ")"));
      line("finalized(" + ordered + ")");
    }
    if (!ordered) {
      line("collectgarbage('restart')");
    }
    line("end");
  }

  private String mode() {
    return "{__mode = " + any(List.of("'k'", "'k'", "'v'", "'v'", "'kv'", "'vk'", "''")) + "}";
  }

  private String weakTable() {
    return "setmetatable({" + any(List.of("", "", "1, 'x'", "{}, a = {}")) + "}, " + mode() + ")";
  }

  /** An expression for an element that may be gone, which is nil then. */
  private String element() {
    return "held." + any(names);
  }

  private void element(String name) {
    String inner = names.isEmpty() ? "nil" : element();
    String made =
        switch (random.nextInt(9)) {
          case 0 -> "(function(u) return function() u = u return u end end)(" + inner + ")";
          case 1 -> suspended(inner);
          case 2 -> "coroutine.create(function() return " + inner + " end)";
          case 3 -> weakTable();
          case 4, 5 -> "setmetatable({}, " + finalizer(name) + ")";
          case 6 -> "{" + inner + ", x = " + inner + "}";
          default -> "{}";
        };
    names.add(name);
    line("put('" + name + "', " + made + ")");
    if (made.startsWith("coroutine.create(function(a, ...)")) {
      line("coroutine.resume(held." + name + ", " + element() + ", " + element() + ")");
    }
    if (one(8)) { // a field that comes too late for setmetatable, or a function that does not
      line("do local m = {" + any(List.of("", "__gc = true")) + "}");
      line("local o = setmetatable({}, m) put('" + name + "', o)");
      line("m.__gc = function(o) log[#log + 1] = ids[o] or 'nameless' end end");
    }
  }

  /** A coroutine that waits, with values that it reads later. */
  private String suspended(String inner) {
    String body =
        switch (random.nextInt(6)) {
          case 0 -> "coroutine.yield() return a";
          case 1 -> "local b = " + inner + " coroutine.yield() return a, b";
          case 2 -> "for _, b in next, {a} do coroutine.yield() link(b, 'y', a) end";
          case 3 -> "do local b = {} put('lost', b) held.lost = nil end coroutine.yield() return a";
          case 4 -> "return select(2, pcall(coroutine.yield, {})), a, ...";
          default ->
              "local b <close> = setmetatable({a}, {__close = function() end})"
                  + " coroutine.yield() return b";
        };
    return "coroutine.create(function(a, ...) " + body + " end)";
  }

  private String finalizer(String name) {
    String then =
        switch (2 + random.nextInt(6) - (ordered ? 2 : 0)) {
          case 0 -> " held." + name + " = o";
          case 1 -> " held." + name + " = rawget(o, 'x')";
          case 2 -> " error('not told')";
          case 3 -> " o = {o, o}";
          default -> "";
        };
    String seen =
        ordered && one(3)
            ? " log[#log] = log[#log] .. (" + any(tables) + "[o] == nil and '-' or '+')"
            : "";
    return "{__gc = function(o) log[#log + 1] = '" + name + "'" + seen + then + " end}";
  }

  private String key() {
    return switch (random.nextInt(8)) {
      case 0 -> any(List.of("'s'", "'a' .. 'b'", "true", "-1", "1", "2", "1.5", "('x'):rep(60)"));
      case 1 -> any(tables);
      default -> element();
    };
  }

  private void change() {
    switch (random.nextInt(10)) {
      case 0 -> line("link(" + element() + ", 'x', " + element() + ")");
      case 1 -> line("link(" + element() + ", " + element() + ", " + element() + ")");
      case 2 -> line("link(" + element() + ", 'w', " + any(tables) + ")");
      case 3 -> line("enter(" + any(tables) + ", " + key() + ", {" + element() + "})");
      case 4 -> line("enter(" + any(tables) + ", " + key() + ", nil)");
      case 5 -> unseen();
      default -> line("enter(" + any(tables) + ", " + key() + ", " + key() + ")");
    }
  }

  /** What only registers held that no statement can read any more. */
  private void unseen() {
    String w = any(tables);
    line(
        switch (random.nextInt(8)) {
          case 0 -> "do local a, b = {}, {} enter(" + w + ", a, b) enter(" + w + ", 'u', a) end";
          case 1 -> "for i = 1, 3 do local a = {i} enter(" + w + ", i, a) end";
          case 2 -> "pcall(function(...) enter(" + w + ", ..., 'p') error((...)) end, {})";
          case 3 -> "coroutine.wrap(function(a) enter(" + w + ", 'c', a) end)({})";
          case 4 ->
              "for k, v in pairs{{}, {}} do enter(" + w + ", v, k) enter(" + w + ", k, v) end";
          case 5 -> "enter(" + w + ", 'm', (select(2, {}, {}, {})))";
          case 6 -> "enter(" + w + ", 'n', table.pack({}, {}, table.unpack({{}, {}})))";
          default ->
              ";(function(a) enter(" + w + ", 'a', a) enter(" + w + ", a, 1) a = nil end)({})";
        });
  }

  private void drop() {
    for (String name : names) {
      if (one(2)) {
        line("held." + name + " = nil");
      }
    }
  }

  private void collect() {
    line(
        switch (random.nextInt(6)) {
          case 0 -> ";(function() collect() end)()";
          case 1 -> "coroutine.wrap(collect)()";
          case 2 -> "pcall(collect)";
          case 3 -> "for _ in collect do end";
          case 4 -> ";(function(...) collect() return ... end)(table.unpack({1, 2, {}, 'x'}))";
          default -> "collect()";
        });
  }

  /** Lets go and collects while something else than the table of elements holds one. */
  private void holder() {
    String name = any(names);
    String kept = "held." + name;
    switch (random.nextInt(ordered ? 6 : 8)) {
      case 0 -> {
        line("do local kept = " + kept);
        drop();
        collect();
        line("print('kept', id(kept)) end");
      }
      case 1 -> {
        line("do local function keep(...)");
        drop();
        collect();
        line("print('kept', id((...))) end");
        line("keep(" + kept + ") end");
      }
      case 2 -> {
        line("for _, kept in next, {" + kept + "} do");
        drop();
        collect();
        line("print('kept', id(kept)) end");
      }
      case 3 -> {
        line("print('kept', pcall(function(kept)");
        drop();
        collect();
        line("return id(kept) end, " + kept + "))");
      }
      case 4 -> {
        line("do local kept = coroutine.wrap(function(a) coroutine.yield() return id(a) end)");
        line("kept(" + kept + ")");
        drop();
        collect();
        line("print('kept', kept()) end");
      }
      case 5 -> {
        line("do local function inner()");
        drop();
        collect();
        line("end");
        line("local function keep(a) return a, inner() end");
        line("print('kept', id((keep(" + kept + ")))) end");
      }
      case 6 -> { // here lua5.4 also holds what registers held before
        line("do local kept = setmetatable({" + kept + "}, {__index = function(t)");
        drop();
        collect();
        line("return id(t[1]) end}) print('kept', kept.x) end");
      }
      default -> { // here, too
        line("do local kept <close> = setmetatable({" + kept + "}, {__close = function(t)");
        drop();
        collect();
        line("print('kept', id(t[1])) end}) end");
      }
    }
  }
}
