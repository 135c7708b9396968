package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions and objects of the host, and prepared scripts. */
class HostTest {
  /** What a function of the host does that yields and calls, in Lua and so in the oracle. */
  private static final String IN_LUA =
      """
      function twice(f, x) return f(f(x)) end
      function ask(a, b) local x, y = coroutine.yield(a, b); return 'got', x, y end
      function each(t, f) for i = 1, #t do f(i, t[i]) end return #t end
      function try(f) local ok, m = pcall(f) return ok, m end
      """;

  private static final String USE =
      """
      print(twice(function(x) return x * 2 end, 5))
      print(pcall(twice, function(x) error({code = x}) end, 7))
      print(select(2, pcall(twice, function(x) error({code = x}, 0) end, 7)).code)
      local co = coroutine.create(function(...) print('in', ask(...)) return 'end' end)
      print(coroutine.resume(co, 1, 2))
      print(coroutine.resume(co, 'x', nil))
      print(coroutine.resume(co))
      print(pcall(ask, 1))
      local co = coroutine.wrap(function() return each({'a', 'b', 'c'}, coroutine.yield) end)
      print(co()) print(co()) print(co()) print(co())
      local co = coroutine.wrap(function() return pcall(each, {1, 2}, function(i, v)
        coroutine.yield(v) if i == 2 then error('at two') end end) end)
      print(co(), co(), co())
      print(each({}, nil), pcall(each, {1}, nil))
      local deep = 0
      print(each(setmetatable({}, {__len = function() return 3 end,
        __index = function(_, i) return i * i end}), function(_, v) deep = deep + v end), deep)
      local c <close> = setmetatable({}, {__close = function() print('closed') end})
      print(each({1, 2}, print))
      local n = 0
      print(each(table.pack(string.byte(string.rep('x', 5000), 1, -1)), function() n = n + 1 end), n)
      local co = coroutine.create(function() local y <close> = setmetatable({}, {__close =
        function() print('closed in a coroutine') end}) ask('waits') end)
      print(coroutine.resume(co)) print(coroutine.close(co), coroutine.status(co))
      print(try(function() each({1}, function() error('inner', 0) end) end))
      local t = setmetatable({}, {__index = ask, __call = ask, __add = ask})
      local co = coroutine.wrap(function() return t.x, t(3), t + 4 end)
      co() co('i') co('c') print(co('a'))
      for i = 1, 3 do local co = coroutine.wrap(function() for k, v in ask, i do return k, v end end)
        co() print(co('r')) end
      """;

  private static LuaValue value(@Nullable Object[] results) {
    return (LuaValue) Objects.requireNonNull(results[0]);
  }

  private static Lua lua(String settings) {
    return Lua.of(ConfigFactory.parseString(settings));
  }

  private static final class Each implements HostRoutine {
    private final LuaValue table;
    private final LuaValue function;
    private final long length;
    private long i;

    Each(Invocation call) {
      table = call.table(1).keep();
      Object f = call.get(2);
      length = table.length();
      function = f instanceof LuaValue v ? v.keep() : table;
    }

    @Override
    public Answer call(Invocation call) {
      if (++i > length) {
        return Answer.results(length);
      }
      Object f = function.equals(table) ? null : function;
      return Answer.call(this, f, i, table.get(i));
    }
  }

  private static void define(Guest guest) {
    guest.define(
        "twice",
        call -> {
          LuaValue f = call.function(1);
          return Answer.results(f.call(f.call(call.integer(2))));
        });
    guest.define(
        "ask",
        call ->
            Answer.yieldValues(
                resumed -> Answer.results("got", resumed.get(1), resumed.get(2)),
                call.get(1),
                call.get(2)));
    guest.define("each", call -> new Each(call).call(call));
    guest.define(
        "try",
        call -> {
          try {
            return Answer.results(call.function(1).call());
          } catch (LuaException e) {
            return Answer.results(false, e.value());
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  void functionsOfTheHostDoWhatFunctionsOfLuaDo(String collector) {
    Oracle.require();
    String expected = normal(Oracle.run(IN_LUA + USE));
    for (String more :
        List.of("", ", torture.gc = 97, verify = after-collection, lua.compile-after = 1")) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (Guest guest = lua("gleaner { collector = " + collector + more + " }").open(out)) {
        define(guest);
        guest.run(USE);
        assertThat(guest.heap().inspect().verify()).isEmpty();
      }
      assertThat(normal(out.toString(StandardCharsets.ISO_8859_1))).isEqualTo(expected);
    }
  }

  /** Without addresses, and without where a message says it is. */
  private static String normal(String output) {
    return output
        .replaceAll("0x[0-9a-f]{6,}", "ADDRESS")
        .replaceAll("(?m)[^\\s]*(\\[string \".*\"\\]|\\.lua):\\d+: ", "")
        .replaceAll(" \\((local|global|upvalue|field) '[^']*'\\)", "");
  }

  @Test
  void argumentsAreTyped() {
    try (Guest guest = lua("").open()) {
      guest.define("f", c -> Answer.results(c.integer(1), c.number(2), c.string(3), c.truth(4)));
      assertThat(guest.run("return f('0x10', '1.5', 12, nil)"))
          .containsExactly(16L, 1.5, "12", false);
      assertThat(guest.run("return select(2, pcall(f, 1.5))"))
          .containsExactly("bad argument #1 to 'f' (number has no integer representation)");
      assertThat(guest.run("return select(2, pcall(f, 1, 2))"))
          .containsExactly("bad argument #3 to 'f' (string expected, got no value)");
      guest.define("g", c -> Answer.results(c.object(1, StringBuilder.class).length()));
      assertThat(guest.run("return select(2, pcall(g, {}))"))
          .containsExactly("bad argument #1 to 'g' (StringBuilder expected, got table)");
      guest.set("bytes", new byte[] {(byte) 0xff, 0});
      guest.define("length", c -> Answer.results(c.bytes(1).length));
      assertThat(guest.run("return #bytes, length(bytes), bytes == '\\xff\\0'"))
          .containsExactly(2L, 2L, true);
    }
  }

  @Test
  void callsThroughTheHostAreBounded() {
    try (Guest guest = lua("").open()) {
      guest.define("through", c -> Answer.results(c.function(1).call(c.get(2))));
      assertThat(
              guest.run(
                  "local n = 0; local function f() n = n + 1; return through(f) end local ok, m ="
                      + " pcall(f) return ok, m:match('stack overflow'), n > 50 and n < 200"))
          .containsExactly(false, "stack overflow", true);
      guest.define("on", c -> Answer.call(null, c.get(1), c.get(2)));
      assertThat(
              guest.run(
                  "local function f(n) if n == 0 then return 'end' end return on(f, n - 1) end"
                      + " return f(50000)"))
          .containsExactly("end");
      guest.define("again", new Again());
      assertThat(guest.run("local n = 0 return again(function() n = n + 1 return n end)"))
          .containsExactly(20_000L);
      assertThat(guest.run("return again(type, 1)")).containsExactly("number");
    }
  }

  /** Calls a function 20,000 times, one after the other. */
  private static final class Again implements HostRoutine {
    @Override
    public Answer call(Invocation call) {
      LuaValue function = call.function(1).keep();
      Object argument = call.get(2);
      int[] left = {20_000};
      HostRoutine next =
          new HostRoutine() {
            @Override
            public Answer call(Invocation returned) {
              return --left[0] == 0
                  ? Answer.results(returned.get(1))
                  : Answer.call(this, function, argument);
            }
          };
      return Answer.call(next, function, argument);
    }
  }

  @Test
  void aLimitThatTheHostCatchesIsStillReached() {
    try (Guest guest = lua("gleaner.lua.max-instructions = 10000").open()) {
      guest.define(
          "hide",
          c -> {
            try {
              return Answer.results(c.function(1).call());
            } catch (LuaLimitException e) {
              return Answer.results("hidden");
            }
          });
      assertThatThrownBy(() ->
              guest.run("coroutine.wrap(function() hide(function() while true do end end) end)()"))
          .isInstanceOf(LuaLimitException.class);
      assertThatThrownBy(() -> guest.run("return 1")).isInstanceOf(LuaLimitException.class);
    }
    try (Guest guest = lua("gleaner.memory.max = 1MiB").open()) {
      guest.define("call", c -> Answer.results(c.function(1).call()));
      assertThatThrownBy(
              () -> guest.run("call(function() local t = {} while true do t = {t} end end)"))
          .isInstanceOf(LuaMemoryException.class);
      assertThat(guest.run("return 1")).containsExactly(1L);
    }
  }

  @Test
  void valuesOfAGuestAreHeld() {
    try (Guest guest = lua("gleaner.memory.max = 1MiB").open();
        Guest other = lua("").open()) {
      LuaValue table = value(guest.run("return {1, 2, x = {}}"));
      guest.run("collectgarbage() for i = 1, 1000 do local t = {i} end collectgarbage()");
      assertThat(table.type()).isEqualTo("table");
      assertThat(table.length()).isEqualTo(2);
      table.set("y", 5);
      table.set(3, "three");
      guest.set("t", (Object) table);
      assertThat(guest.run("return t.y, #t, t[3]")).containsExactly(5L, 3L, "three");
      assertThatThrownBy(() -> table.set(null, 1)).isInstanceOf(LuaException.class);
      assertThatThrownBy(() -> other.set("t", (Object) table))
          .isInstanceOf(IllegalArgumentException.class);
      LuaValue f = value(guest.run("return function(...) return select('#', ...), ... end"));
      assertThat(f.call(1, null)).containsExactly(2L, 1L, null);
      assertThatThrownBy(() -> f.get("x"))
          .isInstanceOf(LuaException.class)
          .hasMessageContaining("attempt to index a function value");
      f.close();
      assertThatThrownBy(f::call).isInstanceOf(IllegalStateException.class);
      List<LuaValue> given = new ArrayList<>();
      guest.define(
          "give",
          c -> {
            given.add(c.table(1));
            given.add(c.table(1).keep());
            return Answer.results();
          });
      guest.run("give({7})");
      assertThatThrownBy(() -> given.get(0).get(1)).isInstanceOf(IllegalStateException.class);
      assertThat(given.get(1).get(1)).isEqualTo(7L);
      given.clear();
      guest.define("take", c -> Answer.results(c.table(1).length()));
      guest.run("for i = 1, 100000 do take({}) end");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  @SuppressWarnings("UnnecessaryStringBuilder") // it is the object
  void objectsOfTheHostAreUserdata(String collector) {
    List<Object> released = new ArrayList<>();
    try (Guest guest = lua("gleaner.collector = " + collector).open()) {
      LuaValue meta = guest.newTable();
      List<String> seen = new ArrayList<>();
      meta.set("__name", "Builder");
      meta.set(
          "__index",
          (HostRoutine)
              c ->
                  Answer.results(
                      c.string(2).equals("length")
                          ? c.object(1, StringBuilder.class).length()
                          : null));
      meta.set(
          "__newindex",
          (HostRoutine)
              c -> {
                c.object(1, StringBuilder.class).append(c.string(2)).append(c.get(3));
                return Answer.results();
              });
      meta.set("__call", (HostRoutine) c -> Answer.results("called", c.get(2)));
      meta.set(
          "__tostring",
          (HostRoutine) c -> Answer.results(c.object(1, StringBuilder.class).toString()));
      meta.set("__close", (HostRoutine) c -> note(seen, "closed " + c.get(1)));
      meta.set("__gc", (HostRoutine) c -> note(seen, "finalized " + c.get(1)));
      guest.setMetatable(StringBuilder.class, meta, released::add);
      StringBuilder b = new StringBuilder("ab");
      guest.set("b", b);
      assertThat(
              guest.run(
                  "local r = {type(b), b.length, tostring(b), b(5)} b.x = 1 return"
                      + " table.unpack(r)"))
          .containsExactly("userdata", 2L, "ab", "called", 5L);
      assertThat(b).hasToString("abx1");
      assertThat(guest.run("return b")).containsExactly(b);
      assertThat(guest.run("return select(2, pcall(string.rep, b))"))
          .containsExactly("bad argument #1 to 'string.rep' (string expected, got Builder)");
      guest.run("do local c <close> = b end");
      assertThat(seen).containsExactly("closed abx1");
      guest.run("b = nil for i = 1, 3 do collectgarbage() end");
      assertThat(seen).containsExactly("closed abx1", "finalized abx1");
      guest.run("for i = 1, 3 do collectgarbage() end");
      assertThat(released).containsExactly(b);
      LuaValue own = guest.newUserdata("text", null, released::add);
      guest.set("own", (Object) own);
      assertThat(guest.run("return own, type(own), getmetatable(own)"))
          .containsExactly("text", "userdata", null);
      own.setMetatable(value(guest.run("return {__index = {size = 4}}")));
      assertThat(guest.run("return own.size")).containsExactly(4L);
      guest.set("c", new StringBuilder("c"));
      assertThatThrownBy(() -> guest.set("c", new Object()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(guest.heap().inspect().verify()).isEmpty();
      assertThat(released).hasSize(1);
    }
    assertThat(released).hasSize(3).contains("text");
  }

  private static Answer note(List<String> seen, String what) {
    seen.add(what);
    return Answer.results();
  }

  @Test
  void aPreparedScriptRunsInManyGuests() throws Exception {
    Script script =
        Lua.prepare(
            "local n = ... local t = {} for i = 1, n do t[i] = 'x' .. i end return #t, t[n]");
    Lua lua = lua("gleaner.lua.compile-after = 10");
    List<Thread> threads = new ArrayList<>();
    List<Object[]> results = Collections.synchronizedList(new ArrayList<>());
    for (int n : IntStream.range(1, 9).toArray()) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try (Guest guest = lua.open()) {
                  results.add(guest.run(script, n * 100));
                }
              }));
    }
    for (Thread t : threads) {
      t.join();
    }
    assertThat(results).hasSize(8).allSatisfy(r -> assertThat(r[1]).isEqualTo("x" + r[0]));
    assertThatThrownBy(() -> Lua.prepare("x = = 1")).isInstanceOf(LuaException.class);
  }

  @Test
  void whatAGuestHasOfAScriptCounts() {
    Script script = Lua.prepare("return function() return " + "1 + x + ".repeat(2000) + "1 end");
    try (Guest guest = lua("").open()) {
      long before = guest.statistics().usedBytes();
      LuaValue f = value(guest.run(script));
      assertThat(guest.statistics().usedBytes()).isGreaterThan(before + 50_000);
      f.close();
      guest.heap().collect();
      assertThat(guest.statistics().usedBytes())
          .isLessThan(before + 8_000); // the account of the machine keeps a grant
    }
    try (Guest guest = lua("gleaner.memory.max = 64KiB").open()) {
      assertThatThrownBy(() -> guest.run(script)).isInstanceOf(LuaMemoryException.class);
    }
  }
}
