package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lua.LuaLimitException.Limit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests as a host uses them, and their limits. */
class GuestTest {
  private static Lua lua(String settings) {
    return Lua.of(ConfigFactory.parseString(settings));
  }

  /** Arguments move: under counting a callee drops the last reference, whoever calls it. */
  @ParameterizedTest
  @Tag("H2")
  @ValueSource(strings = {"hybrid", "refcount"})
  void aCalleeDropsTheLastReferenceToItsArgument(String collector) {
    String script =
        """
        local log = {}
        local new = function()
          return setmetatable({}, {__gc = function() log[#log + 1] = 'gone' end})
        end
        local function f(x) x = nil log[#log + 1] = 'called' return 1 end
        f(new())
        f(new(), 2, 3)
        local y = 1 + f(new())
        pcall(f, new())
        xpcall(f, print, new())
        for _ = 1, 2 do f(new()) end
        return table.concat(log, ' ')
        """;
    try (Guest guest = lua("gleaner.collector = " + collector).open()) {
      assertThat(guest.run(script)[0]).isEqualTo("gone called ".repeat(7).strip());
    }
  }

  @Test
  void resultsAreJavaValues() {
    try (Guest guest = lua("").open()) {
      assertThat(guest.run("return nil, true, 1, 2.5, 'text', ...", "ä", 7))
          .containsExactly(null, true, 1L, 2.5, "text", "ä", 7L);
      assertThat(guest.run("return {}")[0]).asString().startsWith("table: ");
      assertThat(guest.run("return 1 << 62, math.mininteger"))
          .containsExactly(1L << 62, Long.MIN_VALUE);
    }
  }

  @Test
  void globalsAndFunctionsGoBothWays() {
    try (Guest guest = lua("").open()) {
      guest.set("name", "world");
      guest.set("add", a -> new Object[] {(Long) a[0] + (Long) a[1], "sum"});
      guest.run("function greet(x) return x .. ', ' .. name end; total, what = add(40, 2)");
      assertThat(guest.get("total")).isEqualTo(42L);
      assertThat(guest.get("what")).isEqualTo("sum");
      assertThat(guest.call("greet", "hello")).containsExactly("hello, world");
      assertThat(guest.get("nothing")).isNull();
    }
  }

  @Test
  void whatTheHostThrowsIsAnErrorOfTheScript() {
    try (Guest guest = lua("").open()) {
      guest.set(
          "fail",
          a -> {
            throw new IOException("no disk");
          });
      assertThat(guest.run("return pcall(fail)")).containsExactly(false, "no disk");
      assertThatThrownBy(() -> guest.run("fail()"))
          .isInstanceOf(LuaException.class)
          .hasMessageEndingWith("no disk");
    }
  }

  @Test
  void anErrorHasItsValueAndTraceback() {
    try (Guest guest = lua("").open()) {
      assertThatThrownBy(() ->
              guest.run(
                  "local function f() error('bad') end\nf()".getBytes(StandardCharsets.UTF_8),
                  "@script.lua"))
          .isInstanceOfSatisfying(
              LuaException.class,
              e -> {
                assertThat(e).hasMessage("script.lua:1: bad");
                assertThat(e.value()).isEqualTo("script.lua:1: bad");
                assertThat(e.traceback())
                    .isEqualTo(
                        """
                        stack traceback:
                        \t[C]: in function 'error'
                        \tscript.lua:1: in local 'f'
                        \tscript.lua:2: in main chunk
                        \t[C]: in ?\
                        """);
              });
      assertThatThrownBy(() -> guest.run("error({})"))
          .hasMessage("(error object is a table value)");
      assertThatThrownBy(() -> guest.run("x = = 1"))
          .isInstanceOf(LuaException.class)
          .hasMessage("[string \"x = = 1\"]:1: unexpected symbol near '='");
      assertThat(guest.run("return 1")).containsExactly(1L);
    }
  }

  @Test
  void instructionsAreLimitedExactly() {
    long needed;
    String program = "local n = 0; for i = 1, 1000 do n = n + i end; return n";
    try (Guest guest = lua("").open()) {
      guest.run(program);
      needed = guest.instructions();
    }
    try (Guest guest = lua("gleaner.lua.max-instructions = " + needed).open()) {
      assertThat(guest.run(program)).containsExactly(500500L);
    }
    try (Guest guest = lua("gleaner.lua.max-instructions = " + (needed - 1)).open()) {
      assertThatThrownBy(() -> guest.run(program))
          .isInstanceOfSatisfying(
              LuaLimitException.class, e -> assertThat(e.limit()).isEqualTo(Limit.INSTRUCTIONS))
          .hasMessage("instruction limit reached (" + (needed - 1) + ")");
      assertThatThrownBy(() -> guest.run("return 1")).isInstanceOf(LuaLimitException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "while true do end",
        "while true do pcall(error) end",
        "local function f() return pcall(f) end; while true do f() end",
        "while true do pcall(function() while true do end end) end",
        "repeat coroutine.wrap(function() while true do coroutine.yield() end end)() until false",
        "setmetatable({}, {__gc = function() while true do end end}); while true do local t = {}"
            + " end",
        "for _ in function() return 1 end do end",
        "::a:: goto a",
        "return string.rep('a', 1000000):find(string.rep('a*', 100) .. 'b')",
        "local t = {} for i = 1, 10000 do t[i] = i end; while true do table.concat(t) end",
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}); while true do"
            + " pcall(function() return t[1] end) end",
        "while true do load('return 1')() end",
      })
  @Tag("exhaustive")
  void nothingRunsBeyondItsInstructions(String program) {
    try (Guest guest =
        lua("gleaner.lua.max-instructions = 2000000, gleaner.memory.max = 16MiB").open()) {
      assertThatThrownBy(() -> guest.run(program))
          .isInstanceOfSatisfying(
              LuaLimitException.class, e -> assertThat(e.limit()).isEqualTo(Limit.INSTRUCTIONS));
    }
  }

  @Test
  void timeIsLimitedAndAnInterruptStops() throws InterruptedException {
    try (Guest guest = lua("gleaner.lua.max-time = 50ms").open()) {
      assertThatThrownBy(() -> guest.run("while true do end"))
          .isInstanceOf(LuaLimitException.class)
          .hasMessage("time limit reached (50 ms)");
    }
    try (Guest guest = lua("").open()) {
      guest.set(
          "ready",
          a -> {
            guest.interrupt();
            return new Object[0];
          });
      assertThatThrownBy(() -> guest.run("ready() while true do end"))
          .isInstanceOfSatisfying(
              LuaLimitException.class, e -> assertThat(e.limit()).isEqualTo(Limit.INTERRUPT));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  void memoryIsLimitedAndTheGuestGoesOn(String collector) {
    String settings = "gleaner.memory.max = 4MiB, gleaner.collector = " + collector;
    try (Guest guest = lua(settings).open()) {
      assertThat(
              guest.run(
                  "return pcall(function() local t = {} for i = 1, 1e8 do t[i] = {} end end)"))
          .containsExactly(false, "not enough memory");
      assertThat(
              guest.run("return pcall(function() local s = 'x' while true do s = s .. s end end)"))
          .containsExactly(false, "not enough memory");
      assertThatThrownBy(() -> guest.run("local t = {} while true do t = {t, {}} end"))
          .isInstanceOf(LuaMemoryException.class);
      assertThat(guest.run("local t = {} for i = 1, 1000 do t[i] = {} end return #t"))
          .containsExactly(1000L);
    }
  }

  @Test
  void chunksAreChargedUntilTheyAreGone() {
    try (Guest guest = lua("gleaner.memory.max = 4MiB").open()) {
      guest.run(
          "for i = 1, 20000 do assert(load('local x = ' .. i .. '; return \"s\" .. x'))() end"
              + " collectgarbage()");
      long before = guest.statistics().usedBytes();
      guest.run("keep = {} for i = 1, 500 do keep[i] = load('return ' .. i) end collectgarbage()");
      assertThat(guest.statistics().usedBytes()).isGreaterThan(before + 500 * 256);
    }
  }

  @Test
  void deepRecursionIsAnError() {
    try (Guest guest = lua("gleaner.lua.max-calls = 1000").open()) {
      assertThat(
              guest.run(
                  "local function f() return 1 + f() end; local ok, m = pcall(f); return ok,"
                      + " m:match('stack overflow')"))
          .containsExactly(false, "stack overflow");
      assertThat(
              guest.run(
                  "local function f(n) if n == 0 then return 0 end return f(n - 1) end return"
                      + " f(100000)"))
          .containsExactly(0L);
    }
  }

  @Test
  void outputIsTheHosts() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Guest guest = lua("").open(out)) {
      guest.run("print('a', 1, nil) io.write('b', 2)");
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a\t1\tnil\nb2");
      assertThat(guest.run("return io.open, os.execute, os.getenv, os.exit, dofile, require"))
          .containsOnlyNulls();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  @Tag("exhaustive")
  void eachElementHasAnAddressOfItsOwn(String collector) {
    String script =
        """
        local seen, keep, first = {}, {}
        for i = 1, 200000 do
          local t = {}
          keep[i] = t
          local address = tostring(t)
          assert(#address == 21 and address:find('^table: 0x55%x+$'), address)
          assert(not seen[address], address)
          seen[address] = true
          first = first or address
        end
        collectgarbage()
        return tostring(keep[1]) == first
        """;
    try (Guest guest = lua("gleaner.collector = " + collector).open()) {
      assertThat(guest.run(script)).containsExactly(true);
    }
  }

  /** A system property lost to what guests want. */
  @Test
  void whatAUserSetsPrecedesWhatGuestsWant() {
    String path = "gleaner.voluntary.bytes";
    assertThat(Lua.heapConfig(ConfigFactory.load()).getInt(path)).isEqualTo(256);
    assertThat(Lua.heapConfig(ConfigFactory.parseString(path + " = 0")).getInt(path)).isZero();
    System.setProperty(path, "0");
    try {
      ConfigFactory.invalidateCaches();
      assertThat(Lua.heapConfig(ConfigFactory.load()).getInt(path)).isZero();
    } finally {
      System.clearProperty(path);
      ConfigFactory.invalidateCaches();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  void whatScriptsMadeCanBeDropped(String collector) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String settings = "gleaner.collector = " + collector + "\n" + Lua.heapDefaults(collector);
    HeapFactory heaps = Gleaner.factory(ConfigFactory.parseString(settings));
    try (Heap heap = heaps.open()) {
      heap.collect();
      long before = heap.statistics().liveElements();
      Guest guest = lua(settings).openOn(heap, InputStream.nullInputStream(), out, out);
      guest.run(
          """
          cycle = {f = function() return cycle end}
          cycle.cycle = cycle
          setmetatable(cycle, {__gc = function() print('cycle') end})
          coroutine.wrap(function()
            local x <close> = setmetatable({}, {__close = function() print('never') end})
            coroutine.yield()
          end)()
          """);
      guest.drop();
      assertThatThrownBy(() -> guest.run("return 1")).isInstanceOf(IllegalStateException.class);
      for (int i = 0; i < 3; i++) { // chunks go, then what their code has of strings
        heap.collect();
      }
      // two threads of the heap's own at most: for finalizers, for callbacks
      assertThat(heap.statistics().liveElements()).isBetween(before, before + 2);
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("cycle\n");
      heap.inspect().verify();
    }
  }

  /** Under counting alone, too, cycles are found, unless somebody asks for the default of heaps. */
  @Test
  void cyclesAreCollectedUnderCounting() {
    assertThat(cyclesThatStay("")).isLessThan(100);
    assertThat(cyclesThatStay("gleaner.collectors.refcount.cycles = leak")).isGreaterThan(900);
  }

  private static long cyclesThatStay(String settings) {
    Config config =
        ConfigFactory.parseString("gleaner.collector = refcount\n" + settings)
            .withFallback(ConfigFactory.load());
    try (Guest guest = Lua.of(config).open()) {
      guest.run("for i = 1, 1000 do local t = {} t.t = t end collectgarbage()");
      long before = guest.statistics().liveElements();
      guest.run("for i = 1, 1000 do local t = {} t.t = t end collectgarbage()");
      return guest.statistics().liveElements() - before;
    }
  }

  @Test
  void settingsAreChecked() {
    assertThatThrownBy(() -> lua("gleaner.lua.max-calls = 5"))
        .hasMessageContaining("gleaner.lua.max-calls = 5: must be a whole number from 100");
    assertThatThrownBy(() -> lua("gleaner.lua.max-cals = 500"))
        .isInstanceOf(dev.gleaner.settings.ConfigurationException.class)
        .hasMessageContaining("gleaner.lua.max-cals: unknown setting; known here:")
        .hasMessageContaining("(max-calls?)");
    assertThatThrownBy(() -> lua("gleaner.memory.max = 1"))
        .hasMessageContaining("gleaner.memory.max");
  }
}
