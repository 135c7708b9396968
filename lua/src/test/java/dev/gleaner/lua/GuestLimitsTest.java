package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.settings.ConfigurationException;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Work is charged as it is done, closing is bounded, and finalizers run in Lua's order. */
class GuestLimitsTest {
  /** It took minutes, outside of all limits, once an error had closed a variable. */
  @Test
  @Timeout(60)
  void tracebacksOfDeepStacksEnd() {
    String deep =
        "local function deep(n) if n == 0 then return debug.traceback(), 0 end"
            + " local text = deep(n - 1) return text end return deep(100000)";
    try (Guest guest = open("gleaner.memory.max = 64MiB")) {
      Object before = guest.run(deep)[0];
      var _ =
          guest.run(
              "pcall(function() local x <close> = setmetatable({}, {__close = print}) error()"
                  + " end)");
      assertThat(guest.run(deep)[0]).isEqualTo(before);
    }
  }

  /** Each look goes down the stack. A time limit of 1 s was passed by 0.7 s. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "pcall(error, 'x', level)",
        "debug.traceback('', level)",
        "debug.traceback('', level - 100)",
        "debug.getinfo(level, 'l')",
        "debug.getlocal(level, 1)"
      })
  void looksAtDeepFramesTakeStepsInProportion(String look) {
    long[] steps = new long[2];
    for (int i = 0; i < 2; i++) {
      String script =
          """
          local function deep(n, level)
            if n > 0 then deep(n - 1, level) return end
            for i = 1, 20 do LOOK end
          end
          deep(10000, ...)
          """;
      OutputStream nowhere = OutputStream.nullOutputStream();
      try (Guest guest =
          Lua.of(ConfigFactory.parseString("gleaner.memory.max = 64MiB"))
              .openTrusted(InputStream.nullInputStream(), nowhere, nowhere)) {
        var _ = guest.run(script.replace("LOOK", look), i == 0 ? 900 : 9_000);
        steps[i] = guest.instructions();
      }
    }
    assertThat(steps[1] - steps[0]).isGreaterThan(20 * (9_000 - 900) / 8);
  }

  /** What is known of the call that catches an error holds until the error has left its frames. */
  @Test
  void errorsThatLeaveManyFramesTakeStepsInProportion() {
    String script =
        """
        local n, caught = ...
        local function deep(k)
          local x <close> = setmetatable({}, {__close = function() end})
          if k == 0 then error('e') end
          deep(k - 1)
        end
        local co = coroutine.wrap(function()
          if caught then return pcall(deep, n) end
          deep(n)
        end)
        return select('#', pcall(co))
        """;
    for (boolean caught : new boolean[] {true, false}) {
      long[] steps = new long[2];
      for (int i = 0; i < 2; i++) {
        try (Guest guest = open("gleaner.memory.max = 64MiB")) {
          var _ = guest.run(script, 2000 << (2 * i), caught);
          steps[i] = guest.instructions();
        }
      }
      assertThat(steps[1]).as("caught " + caught).isLessThan(6 * steps[0]);
    }
  }

  private static final String MANY = "gleaner.lua.close-time = 1h";

  private static Guest open(String settings, ByteArrayOutputStream out) {
    return Lua.of(ConfigFactory.parseString(settings)).open(out);
  }

  private static Guest open(String settings) {
    return open(settings, new ByteArrayOutputStream());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tonumber(s, 36) | 16384",
        "return s < r | 16384",
        "return s == r | 16384",
        "return rawequal(s, r) | 16384",
        "return s .. r | 32768",
        "return s .. 'x' | 16384",
        "return s:sub(2) | 16383",
        "return s:upper() | 16384",
        "return s:lower() | 16384",
        "return s:reverse() | 16384",
        "return s:rep(2) | 32768",
        "return ('z'):rep(1 << 18) | 16384",
        "return s:find('y') | 16384",
        "return s:find('y', 1, true) | 16384",
        "return s:match('^.-y') | 16384",
        "return s:gsub('z', '%0') | 16384",
        "return ('%s'):format(s) | 16384",
        "return ('%-5s'):format(s) | 16384",
        "return ('%q'):format(s) | 16384",
        "return ('s4'):pack(s) | 16384",
        "return ('z'):pack(s) | 16384",
        "return ('z'):unpack(s .. '\\0') | 16384",
        "return utf8.len(s) | 16384",
        "return utf8.offset(s, 1 << 18) | 16384",
        "return table.concat({s, r}) | 32768",
        "return load(s) | 16384",
        "return load('x=' .. ('1'):rep(1 << 18)) | 180224", // read, and read as a number
        "return load('x=0x' .. ('f'):rep(1 << 18) .. 'z') | 180224",
        "return load(k) | 40000", // 5000 constants
        "return load(f) | 100000", // 5000 functions
        "io.write(s) | 16384",
        "print(s) | 16384",
        "return t[s] | 16384",
        "t[s] = 2 | 16384",
        "return tonumber(('1'):rep(1 << 18)) | 32768",
        "return c.nothing | 1900",
        "c.nothing = 1 | 1900",
        "tostring(n) | 24576", // the name, and the text
        "pcall(string.rep, n) | 24576",
        "pcall(function() return n + 1 end) | 24576",
        "pcall(function() return n < n end) | 24576",
        "pcall(function() n() end) | 24576",
        "for i = 1, 2 do pcall(v) end | 16384", // a long name
        "setmetatable({}, {__mode = s}) | 16384",
        "('s4'):unpack(q) | 16384",
        "('c262144'):unpack(s) | 16384",
        "s:match('()' .. '.*') | 16384",
        "pcall(function() error(s) end) | 16384",
        "pcall(coroutine.wrap(function() error(s) end)) | 16384",
        "table.pack(table.unpack({}, 1, 5000)) | 5000",
        "pcall(string.pack, 'i' .. z) | 32768",
        "warn(table.unpack(w)) | 5000",
        "pcall(c) | 1990",
        "pcall(c, table.unpack({}, 1, 500)) | 125000",
        "next(h, 1) | 2490", // indexes without a value
        "h[1] = nil; next(h) | 2490",
        "h[5000] = nil; next(h, 1) | 2490",
        "for _ in pairs(h) do end | 2490",
      })
  void workIsChargedAsItIsDone(String work, long steps) {
    // Some of the work changes it.
    worker().run("h = table.pack(table.unpack(w)) h.n = nil for i = 2, 4999 do h[i] = nil end");
    long before = worker().instructions();
    worker().run(work);
    assertThat(worker().instructions() - before).isGreaterThanOrEqualTo(steps);
  }

  private static @Nullable Guest worker;

  /** A guest with all that the work is done on, for all of it: to make that takes longer. */
  private static Guest worker() {
    if (worker == null) {
      // A collector without collections: these are charged, too.
      worker = open("gleaner { collector = refcount, voluntary.enabled = false }");
      worker.run(
          "s = ('z'):rep(1 << 18) r = ('z'):rep(1 << 18) t = {[r] = 1} c = {} n = setmetatable({},"
              + " {__name = s}) q = ('s4'):pack(s) z = ('0'):rep(1 << 18) v = load('local ' .. s .."
              + " '; return function() ' .. s .. '() end')() k = {} f = {} for i = 1, 5000 do k[i]"
              + " = 'k' .. i f[i] = 'f' .. i end k = 'x={' .. table.concat(k, ',') .. '}' f ="
              + " table.concat(f, '=function() end ') .. '=1' w = {} for i = 1, 5000 do w[i] = i"
              + " end for i = 1, 1990 do c = setmetatable({}, {__index = c, __newindex = c, __call"
              + " = i > 1 and c or select}) end");
    }
    return worker;
  }

  @AfterAll
  static void closeTheWorker() {
    if (worker != null) {
      worker.close();
    }
  }

  @Test
  void digitsAreReadInPiecesAsInLua() {
    try (Guest guest = open("")) {
      assertThat(
              guest.run("return tonumber(' -7fF\\t', 16), tonumber('8', 8), tonumber('- 1', 10)"))
          .containsExactly(-0x7FFL, null, null);
      assertThat(guest.run("return tonumber('', 10), tonumber('1 1', 10), tonumber('--1', 10)"))
          .containsExactly(null, null, null);
      assertThat(guest.run("return tonumber((' '):rep(5000) .. '-10' .. (' '):rep(5000), 36)"))
          .containsExactly(-36L);
      assertThat(guest.run("return tonumber(('0'):rep(5000) .. 'zz', 36), tonumber('1\\0', 10)"))
          .containsExactly(35L * 36 + 35, null);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "hybrid", "framestack", "refcount"})
  void closingCallsAllFinalizersInReverse(String collector) {
    var out = new ByteArrayOutputStream();
    try (Guest guest = open(MANY + "\ngleaner.collector = " + collector, out)) {
      guest.run(
          """
          for i = 1, 4 do
            local t = setmetatable({}, {__gc = function() print(i) end})
            t.t = t -- no counting collector finds that as it goes
            _G[i] = i % 2 == 0 and t or nil
          end
          """);
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("4\n3\n2\n1\n");
  }

  @Test
  void closingCallsFinalizersAfterAFailure() {
    var out = new ByteArrayOutputStream();
    try (Guest guest = open(MANY, out)) {
      assertThatThrownBy(() ->
              guest.run(
                  """
                  setmetatable({}, {__gc = function() print('gone') end})
                  coroutine.wrap(function() error('no') end)()
                  """))
          .isInstanceOf(LuaException.class);
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("gone\n");
  }

  @Test
  @Timeout(60)
  void closingEndsWhateverFinalizersDo() {
    Guest guest = open(MANY); // closed below
    guest.run(
        "x = setmetatable({}, {__gc = function() while true do end end}) s = ('z'):rep(1 << 20) y ="
            + " setmetatable({}, {__gc = function() for i = 1, 1e9 do tonumber(s, 36) end end})");
    long before = guest.instructions();
    guest.close();
    assertThat(guest.instructions() - before).isEqualTo(1_000_000);
  }

  @Test
  void withoutTimeNoFinalizerRunsToItsEnd() {
    var out = new ByteArrayOutputStream();
    try (Guest guest = open("gleaner.lua.close-time = 0s", out)) {
      guest.run("x = setmetatable({}, {__gc = function() print('gone') end})");
    }
    assertThat(out.size()).isZero();
  }

  @Test
  void interruptWorksWhileClosing() {
    Guest guest = open(MANY); // closed below
    guest.set(
        "stop",
        a -> {
          guest.interrupt();
          return new Object[0];
        });
    guest.run("x = setmetatable({}, {__gc = function() stop() while true do end end})");
    long before = guest.instructions();
    guest.close();
    assertThat(guest.instructions() - before).isLessThan(100_000);
  }

  @Test
  @Timeout(120)
  void cpuTimeIsALimit() {
    try (Guest guest = open("gleaner.lua.max-cpu-time = 50ms")) {
      assertThatThrownBy(() -> guest.run("while true do end"))
          .isInstanceOfSatisfying(
              LuaLimitException.class,
              e -> {
                assertThat(e.limit()).isEqualTo(Limit.TIME);
                assertThat(e).hasMessage("CPU time limit reached (50 ms)");
              });
    }
  }

  @Test
  @Timeout(120)
  void cpuTimeIsThatOfAllCallsOnAnyThread() throws InterruptedException {
    try (Guest guest = open("gleaner.lua.max-cpu-time = 1s")) {
      guest.run("function f() for i = 1, 1e5 do end end function loop() while true do end end");
      List<Throwable> wrong = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        guest.heap().release();
        Thread other =
            new Thread(() -> {
              guest.heap().acquire();
              try {
                guest.call("f");
              } catch (Throwable e) {
                wrong.add(e);
              }
              guest.heap().release();
            });
        other.start();
        other.join();
        guest.heap().acquire();
        guest.call("f");
      }
      assertThat(wrong).isEmpty();
      assertThatThrownBy(() -> guest.call("loop")).hasMessage("CPU time limit reached (1 s)");
    }
  }

  @Test
  void timesAreChecked() {
    assertThatThrownBy(() -> open("gleaner.lua.close-time = -1s"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("gleaner.lua.close-time");
  }

  /** A collection came after so many strings, of any length, so they filled a heap of any limit. */
  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "hybrid", "framestack", "refcount", "semispace"})
  void longStringsThatAreGarbageTakeLittleMemory(String collector) {
    String settings = "gleaner { collector = %s, memory.max = 512MiB }".formatted(collector);
    try (Guest guest = open(settings)) {
      var _ = guest.run("local s = '' for _ = 1, 20000 do s = s .. 'x' end");
      assertThat(guest.heap().statistics().peakBytes()).isLessThan(32 << 20);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "hybrid", "framestack", "refcount", "semispace"})
  void aGuestNearItsLimitDoesNotCollectForEver(String collector) {
    try (Guest guest = open("gleaner { collector = " + collector + ", memory.max = 4MiB }")) {
      var results =
          guest.run(
              """
              local keep = {}
              local function fields() while true do keep = {n = keep} end end
              local function items() while true do keep = {keep} end end
              local function work()
                for i = 1, 1e9 do -- a cycle, which each collector leaves to collections
                  local x = {} x[1] = x
                end
              end
              pcall(fields)
              pcall(items)
              for i = 1, 20 do keep = keep.n or keep[1] end
              local ok, message = pcall(work)
              return ok, message
              """);
      assertThat(results).containsExactly(false, "not enough memory");
      assertThat(guest.statistics().collections()).isLessThan(400);
      assertThat(guest.run("local t = {} for i = 1, 1e4 do t[i] = {} end return #t"))
          .containsExactly(10_000L);
    }
  }

  @Test
  void collectionsThatARefusedRequestWantsAreCharged() {
    try (Guest guest = open("gleaner.memory.max = 4MiB")) {
      guest.run("keep = {} for i = 1, 1e4 do keep[i] = {} end");
      long before = guest.instructions();
      assertThat(guest.run("return pcall(string.rep, 'x', 1 << 25)")[0]).isEqualTo(false);
      assertThat(guest.instructions() - before).isGreaterThan(50_000);
    }
  }

  /** Each frame was looked for from the innermost one: half a minute for 80,000 of them. */
  @Test
  @Timeout(60)
  void aCoroutineThatFailsDeepDownIsLeftAtOnce() {
    try (Guest guest = open("gleaner.memory.max = 128MiB")) {
      guest.run("function deep(n) if n == 0 then error('x', 0) end return 1 + deep(n - 1) end");
      guest.run("function caught(n) return pcall(deep, n) end");
      assertThat(guest.run("return coroutine.resume(coroutine.create(deep), 190000)"))
          .containsExactly(false, "x");
      assertThat(guest.run("return coroutine.resume(coroutine.create(caught), 190000)"))
          .containsExactly(true, false, "x");
    }
  }

  @Test
  void looksThroughCodeAreCharged() {
    try (Guest guest = open("")) {
      guest.run("big = load(('do local x <close> = nil end '):rep(3000) .. 'local y = nil + 1')");
      long before = guest.instructions();
      guest.run("pcall(big)");
      assertThat(guest.instructions() - before)
          .as("3,000 times through 3,000 variables")
          .isGreaterThan(3000L * 3000 / 16);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local x <close> = 1", "for _ in next, {}, nil, 1 do end"})
  void whatCannotBeClosedIsNamed(String script) {
    try (Guest guest = open("")) {
      assertThatThrownBy(() -> guest.run(script))
          .hasMessageContaining(script.startsWith("for") ? "'(for state)' got" : "'x' got");
    }
  }
}
