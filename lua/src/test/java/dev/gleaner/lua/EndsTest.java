package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How scripts end, as their host sees it: each end is a {@link GuestException}. */
class EndsTest {
  private static final long STEPS = 1_000_000;

  private static Guest open(String collector) {
    return Lua.of(
            ConfigFactory.parseString(
                    "gleaner.collector = "
                        + collector
                        + ", gleaner.memory.max = 4MiB, gleaner.lua.max-instructions = "
                        + STEPS)
                .withFallback(ConfigFactory.load()))
        .open();
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void limitIsToldWhereverItIsReached(String collector) {
    for (String script :
        List.of(
            "error(setmetatable({}, {__tostring = function() while true do end end}))",
            "error(setmetatable({}, {__tostring = function() return ('x'):rep(100, loop()) end}))",
            "local c <close> = setmetatable({}, {__close = function() while true do end end})",
            "local c <close> = setmetatable({}, {__close = function() while true do end end})"
                + " error('x')",
            "setmetatable({}, {__gc = function() while true do end end})"
                + " while true do local t = {} end",
            "coroutine.wrap(function() while true do end end)()",
            "return pcall(coroutine.wrap(function() pcall(function() while true do end end) end))",
            "return tostring(setmetatable({}, {__tostring = function() while true do end end}))",
            "table.sort({3, 1, 2}, function() while true do end end)")) {
      try (Guest guest = open(collector)) {
        guest.run("function loop() while true do end end");
        assertThatThrownBy(() -> guest.run(script))
            .as(script)
            .isInstanceOf(LuaLimitException.class)
            .hasMessage("instruction limit reached (1000000)");
        assertThat(guest.instructions()).as(script).isEqualTo(STEPS);
        assertThatThrownBy(() -> guest.run("return 1"))
            .isInstanceOf(LuaLimitException.class)
            .hasMessage("instruction limit reached (1000000) before: the guest can only be closed");
        assertThat(guest.heap().inspect().verify()).isEmpty();
      }
    }
  }

  @Test
  void errorWhoseTextFailsIsDescribed() {
    try (Guest guest = open("marksweep")) {
      for (String text : List.of("error('x')", "return {}", "return nil .. nil", "return 1 < {}")) {
        assertThatThrownBy(() ->
                guest.run("error(setmetatable({}, {__tostring = function() " + text + " end}))"))
            .isInstanceOf(LuaException.class)
            .hasMessage("(error object is a table value)");
      }
      assertThat(guest.run("return 1")).containsExactly(1L);
    }
  }

  @Test
  void memoryThatRunsOutIsAnError() {
    try (Guest guest = open("marksweep")) {
      assertThatThrownBy(() -> guest.run("return ('x'):rep(1e9)"))
          .isInstanceOfSatisfying(
              LuaMemoryException.class,
              e -> {
                assertThat(e.value()).isEqualTo("not enough memory");
                assertThat(e.exhausted().limit()).isEqualTo(4 << 20);
              });
      assertThatThrownBy(() -> guest.set("x", new byte[8 << 20]))
          .isInstanceOf(LuaMemoryException.class);
      HostFunction within = a -> guest.run("return ('x'):rep(1e9)");
      guest.set("within", within);
      assertThat(guest.run("return pcall(within)")).containsExactly(false, "not enough memory");
      assertThatThrownBy(() -> guest.call("within")).isInstanceOf(LuaMemoryException.class);
      assertThat(guest.heap().mutator().frameDepth()).isOne();
    }
  }

  @Test
  void causeAndValueAreKept() {
    try (Guest guest = open("marksweep")) {
      IOException thrown = new IOException("no such row");
      HostFunction fails =
          a -> {
            throw thrown;
          };
      guest.set("fails", fails);
      for (String script :
          List.of("fails()", "coroutine.wrap(fails)()", "table.sort({2, 1}, fails)")) {
        assertThatThrownBy(() -> guest.run(script))
            .as(script)
            .isInstanceOf(LuaException.class)
            .hasMessageContaining("no such row")
            .hasCause(thrown);
      }
      assertThatThrownBy(() -> guest.run("pcall(fails) error('other')")).hasNoCause();
      assertThatThrownBy(() -> guest.run("error({code = 7})"))
          .isInstanceOfSatisfying(
              LuaException.class,
              e ->
                  assertThat(e.value())
                      .isInstanceOfSatisfying(
                          LuaValue.class, v -> assertThat(v.get("code")).isEqualTo(7L)));
    }
  }

  @Test
  void placeIsTold() throws ScriptException {
    try (Guest guest = open("marksweep")) {
      Throwable e =
          catchThrowable(() ->
              guest.run(
                  "\nerror('a:1: b')".getBytes(StandardCharsets.UTF_8), "@dir/some file.lua"));
      assertThat(((LuaException) e).source()).isEqualTo("dir/some file.lua");
      assertThat(((LuaException) e).line()).isEqualTo(2);
      LuaException none = (LuaException) catchThrowable(() -> guest.run("error('no place', 0)"));
      assertThat(none.line()).isEqualTo(-1);
      assertThat(none.source()).isNull();
    }
    ScriptEngine engine = new ScriptEngineManager().getEngineByName("lua");
    engine.put(ScriptEngine.FILENAME, "rules.lua");
    for (String text : List.of("local x = 1\nerror('late')", "local x = 1\nlocal = 2")) {
      assertThatThrownBy(() -> engine.eval(text))
          .isInstanceOfSatisfying(
              ScriptException.class,
              e -> {
                assertThat(e.getFileName()).isEqualTo("rules.lua");
                assertThat(e.getLineNumber()).isEqualTo(2);
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void endOfTheJavaStackIsAnError(String collector) throws InterruptedException {
    List<String> scripts =
        List.of(
            "local function f(n) return (n == 0) and 0 or (string.gsub('x', 'x', function()"
                + " return f(n - 1) end)) end return f(190)",
            "local t = setmetatable({}, {__index = function(t, k) return (string.gsub('a', 'a',"
                + " function() return t[k + 1] end)) end}) return t[1]",
            "return assert(load('return ' .. ('('):rep(90) .. '1' .. (')'):rep(90)))()",
            "local s = 'x' for i = 1, 180 do s = 'function() return ' .. s .. ' end' end"
                + " return load('return ' .. s)",
            "return host(100000)",
            "return again(1)");
    for (int kib : new int[] {256, 384, 640}) {
      List<@Nullable Throwable> wrong = new ArrayList<>();
      Thread thread = new Thread(null, () -> runAll(collector, scripts, wrong), "s", kib << 10);
      thread.start();
      thread.join();
      assertThat(wrong).as(kib + " KiB").isEmpty();
    }
  }

  @Test
  void aCallOfFormatInAnotherTakesItsOwnJavaFramesAlone() {
    List<Long> frames = new ArrayList<>();
    try (Guest guest = open("marksweep")) {
      guest.define(
          "count",
          c -> {
            Predicate<StackFrame> isFormat = f -> f.getMethodName().equals("format");
            frames.add(StackWalker.getInstance().walk(all -> all.filter(isFormat).count()));
            return Answer.results("");
          });
      guest.run(
          """
          local depth, text = 0
          text = setmetatable({}, {__tostring = function()
            depth = depth + 1
            return depth <= 50 and string.format('%s', text) or count()
          end})
          depth = 49 tostring(text)
          depth = 0 tostring(text)
          """);
    }
    assertThat(frames).hasSize(2);
    assertThat(frames.getLast()).isEqualTo(50 * frames.getFirst());
  }

  /** Each level of a function may take another part of the Java stack, and scripts go on. */
  @Test
  void scriptsCatchTheEndOfTheJavaStack() throws InterruptedException {
    String script =
        """
        local function text(how)
          return setmetatable({}, {__tostring = function(t) return how(t) end})
        end
        local messages = {}
        for i, how in ipairs {
          tostring, function(t) return string.format('%s', t) end, print,
          function(t) return (string.gsub('a', 'a', function() return tostring(t) end)) end,
          function(t) table.sort({3, 2, 1}, function() tostring(t) end) end,
          function(t) assert(load(function() return tostring(t) end)) end,
          function(t) return table.concat({tostring(t)}) end,
        } do
          local ok, message = pcall(tostring, text(how))
          messages[i] = not ok and message:match('stack overflow$') or 'no overflow'
        end
        return table.concat(messages, '; ')
        """;
    for (int kib : new int[] {384, 512, 16_384}) {
      List<@Nullable Object> results = new ArrayList<>();
      Runnable run =
          () -> {
            try (Guest guest = open("marksweep")) {
              results.add(guest.run(script)[0]);
              results.add(guest.run(script)[0]);
            } catch (GuestException e) {
              results.add(e);
            }
          };
      Thread thread = new Thread(null, run, "s", (long) kib << 10);
      thread.start();
      thread.join();
      String all = "stack overflow" + "; stack overflow".repeat(6);
      assertThat(results).as(kib + " KiB").containsExactly(all, all);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void recursionThroughTheMachineEndsBeforeMemoryDoes(String collector) {
    try (Guest guest = open(collector)) {
      guest.set("caught", (HostFunction) a -> guest.call("f"));
      for (String f :
          List.of(
              "local t = setmetatable({}, {__index = function() return (f()) end}) return (t.x)",
              "local t = setmetatable({}, {__le = function() return (f()) end}) return t <= t",
              "local t = setmetatable({}, {__concat = function() return f() end}) return 'a' .. t",
              "for _ in f do end",
              "local x <close> = setmetatable({}, {__close = f})",
              "for _ in pairs(setmetatable({}, {__pairs = function() f() end})) do end",
              "return (caught())",
              "coroutine.wrap(f)()")) {
        assertThat(guest.run("function f() " + f + " end local ok, m = pcall(f) return ok, m"))
            .as(f)
            .satisfies(r -> assertThat(r[0]).isEqualTo(false))
            .satisfies(r -> assertThat((String) r[1]).endsWith("stack overflow"));
        assertThat(guest.heap().inspect().verify()).isEmpty();
      }
    }
  }

  private static void runAll(
      String collector, List<String> scripts, List<@Nullable Throwable> wrong) {
    try (Guest guest = open(collector)) {
      HostFunction deep = a -> new Object[] {depth((Long) a[0])};
      HostFunction again = a -> guest.call("again", (Long) a[0] + 1);
      guest.set("host", deep);
      guest.set("again", again);
      for (String script : scripts) {
        try {
          guest.run(script);
        } catch (LuaException e) {
          assertThat(e.getMessage()).contains("overflow");
        }
        assertThat(guest.run("return 1 + 1")).containsExactly(2L);
        assertThat(guest.heap().inspect().verify()).isEmpty();
      }
    } catch (Throwable e) {
      wrong.add(e);
    }
  }

  private static long depth(long n) {
    return n == 0 ? 0 : 1 + depth(n - 1);
  }
}
