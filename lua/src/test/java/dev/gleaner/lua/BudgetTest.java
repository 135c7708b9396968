package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A call that has used up its budget is left as a whole, and the guest goes on as if new. */
@Timeout(600)
class BudgetTest {
  private static final Budget BUDGET = Budget.ofInstructions(20_000);
  private static final String TOLD = "instruction limit of this call reached (20000)";

  /** What each script may use; it is run once in each guest. */
  private static final String LIBRARY =
      """
      closed = 0
      function loop() while true do end end
      function final() while endless do end end
      function closing(f)
        return setmetatable({}, {__close = function(_, e) closed = closed + 1 if f then f(e) end end})
      end
      function work()
        local n = 0
        local t <close> = closing(function() n = n + 1 end)
        for i = 1, 100 do n = n + select('#', table.unpack({i, i, i})) end
        local co = coroutine.wrap(function(...) for i = 1, 3 do coroutine.yield(i) end return ... end)
        n = n + co(1) + co() + co() + co() .. ''
        local ok, e = pcall(error, 'x')
        local s = ('abc'):gsub('%w', function(c) return c:byte() end)
        table.sort({3, 1, 2}, function(a, b) n = n + 1 return a < b end)
        collectgarbage()
        return n > 300, ok, e, s, coroutine.isyieldable(), closed
      end
      kept = coroutine.wrap(function() for i = 1, 1e9 do coroutine.yield(i) end end)
      """;

  private static final List<String> ENDLESS =
      List.of(
          "while true do end",
          "goto a ::a:: goto a",
          "local function f() return f() end f()",
          "while true do pcall(loop) end",
          "while true do pcall(error, 'x') end",
          "while true do xpcall(loop, function() end) end",
          "xpcall(error, function() loop() end)",
          "xpcall(loop, function(e) escaped = e end)",
          "pcall(pcall, pcall, xpcall, loop, loop)",
          "repeat local co = coroutine.create(loop) coroutine.resume(co) until false",
          "while true do coroutine.wrap(loop)() end",
          "while true do pcall(coroutine.wrap(function() pcall(loop) end)) end",
          "local function f() coroutine.wrap(f)() end while true do pcall(f) end",
          "local co = coroutine.wrap(function() while true do coroutine.yield() end end)"
              + " while true do co() end",
          "coroutine.wrap(function() local c <close> = closing() table.sort({3, 2, 1},"
              + " function() coroutine.wrap(loop)() end) end)()",
          "local co = coroutine.create(function() local c <close> = closing(loop)"
              + " coroutine.yield() end) coroutine.resume(co) coroutine.close(co)",
          "setmetatable({}, {__gc = final}) while true do local t = {} end",
          "for i = 1, 10 do setmetatable({}, {__gc = final}) end collectgarbage() loop()",
          "local c <close> = closing(loop) local d <close> = closing(loop) loop()",
          "local c <close> = closing(function() local d <close> = closing(loop) loop() end) loop()",
          "do local c <close> = closing(loop) end",
          "local c <close> = closing(error) local d <close> = closing(error) loop()",
          "local c <close> = closing(function() pcall(loop) end) error('x')",
          "local c <close> = setmetatable({}, {__close = pcall}) loop()",
          "local c <close> = setmetatable({}, {__close = string.rep}) loop()",
          "for k in function() return 1 end, nil, nil, closing() do end",
          "table.sort({5, 3, 4, 1}, loop)",
          "table.sort({5, 3, 4, 1}, function(a, b) return pcall(loop) end)",
          "('x'):rep(100):gsub('x', loop)",
          "('x'):rep(100):gsub('x', setmetatable({}, {__index = loop}))",
          "for i = 1, 1e9 do ('x'):rep(1 << 18) end",
          "while true do pcall(string.rep, 'x', 1 << 18) end",
          "return ('x'):rep(1 << 20):find(('x*'):rep(20) .. 'y')",
          "return tostring(setmetatable({}, {__tostring = loop}))",
          "return setmetatable({}, {__index = loop}).x",
          "setmetatable({}, {__newindex = loop}).x = 1",
          "return setmetatable({}, {__add = loop}) + 1",
          "return setmetatable({}, {__eq = loop}) == setmetatable({}, {})",
          "return setmetatable({}, {__lt = loop}) < 1",
          "return setmetatable({}, {__concat = loop}) .. 'x' .. 'y'",
          "return #setmetatable({}, {__len = loop})",
          "return setmetatable({}, {__call = loop})()",
          "error(setmetatable({}, {__tostring = loop}))",
          "return load(function() return ' ' end)",
          "while true do load('return ' .. ('1 + '):rep(1000) .. '1') end",
          "return load(('x = 1 '):rep(100000))",
          "host(loop)",
          "while true do pcall(host, loop) end",
          "swallow(loop) while true do end",
          "swallow(loop) swallow(loop) escaped = true",
          "pcall(swallow, loop) escaped = true",
          "routine(loop)",
          "pcall(routine, function() pcall(loop) end)",
          "pcall(routine, pcall, loop) escaped = true",
          "coroutine.wrap(function() routine(loop) end)()",
          "coroutine.wrap(function() host(function() coroutine.wrap(loop)() end) end)()",
          "for i = 1, 150 do local t = t t = function() end end local function f(n) if n == 0 then"
              + " loop() end (''):gsub('', function() f(n - 1) end) end f(100)",
          "local function f(n) if n == 0 then loop() end return 1 + f(n - 1) end f(1500)",
          "local s = debug.traceback loop()",
          "for w in ('a '):rep(1e5):gmatch('%a') do end",
          "local co co = coroutine.wrap(function() local c <close> = closing(function()"
              + " coroutine.yield() end) loop() end) co() escaped = true");

  private static Guest open(String collector, String settings) {
    Guest guest =
        Lua.of(
                ConfigFactory.parseString(
                        settings
                            + "\ngleaner.memory.max = 8MiB, gleaner.lua.grace-time = 1h"
                            + "\ngleaner.collector = "
                            + collector)
                    .withFallback(ConfigFactory.load()))
            .open();
    guest.run(LIBRARY);
    guest.set("host", a -> ((LuaValue) need(a[0])).call());
    guest.set(
        "swallow",
        a -> {
          try {
            return ((LuaValue) need(a[0])).call();
          } catch (GuestException e) {
            return new Object[] {1};
          }
        });
    guest.define(
        "routine",
        call ->
            Answer.call(
                next -> Answer.results(next.count()),
                call.get(1),
                call.count() > 1 ? call.get(2) : null));
    return guest;
  }

  private static Object need(@Nullable Object value) {
    return java.util.Objects.requireNonNull(value);
  }

  private static void exhaust(Guest guest, String script) {
    guest.set("endless", true);
    Throwable e = catchThrowable(() -> guest.run(script, BUDGET));
    guest.set("endless", false); // finalizers of this script may run in the next one
    assertThat(e).as(script).isInstanceOf(LuaLimitException.class).hasMessage(TOLD);
    LuaLimitException limit = (LuaLimitException) e;
    assertThat(limit.ofCall()).isTrue();
    assertThat(limit.limit()).isEqualTo(Limit.INSTRUCTIONS);
  }

  /** Its last result, how many variables were closed, depends on what ran before. */
  private static void works(Guest guest, String after) {
    guest.run("closed = 0");
    assertThat(guest.run("return work()"))
        .as(after)
        .containsExactly(true, false, "x", "979899", false, 0L);
    assertThat(guest.run("return kept() < kept(), rawget(_G, 'escaped')"))
        .as(after)
        .containsExactly(true, null);
    assertThat(guest.heap().mutator().frameDepth()).as(after).isOne();
    assertThat(guest.heap().inspect().verify()).as(after).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"framestack, 0", "hybrid, 1", "marksweep, 0", "refcount, 1", "semispace, 0"})
  @Tag("seeds")
  void guestIsUnwoundAndGoesOn(String collector, int first) {
    List<String> settings = List.of("", "gleaner.lua.compile-after = 1");
    for (int i = 0; i < settings.size(); i++) {
      if (!Tier.has(i, first, settings.size())) {
        continue;
      }
      String more = settings.get(i);
      try (Guest guest = open(collector, more)) {
        works(guest, "nothing");
        for (String script : ENDLESS) {
          long before = guest.instructions();
          exhaust(guest, script);
          long took = guest.instructions() - before;
          assertThat(took).as(script).isBetween(20_000L, 20_000L + 100_000L);
          works(guest, script);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void aThousandTimesLeaveAsMuchAsOnce(String collector) {
    try (Guest guest = open(collector, "")) {
      List<String> scripts =
          List.of(
              ENDLESS.get(3),
              ENDLESS.get(11),
              ENDLESS.get(14),
              ENDLESS.get(18),
              ENDLESS.get(21),
              ENDLESS.get(46),
              ENDLESS.get(52));
      long bytes = 0;
      for (int i = 0; i < 1000; i++) {
        exhaust(guest, scripts.get(i % scripts.size()));
        if (i == scripts.size() * 3 || i == 999) {
          guest.run("closed = 0 collectgarbage() collectgarbage()");
          long used = guest.heap().statistics().usedBytes();
          // The guest's account keeps what it was granted and does not use, 4 KiB at most.
          assertThat(used).as("bytes left").isCloseTo(bytes == 0 ? used : bytes, within(4096L));
          bytes = used;
        }
      }
      works(guest, "a thousand");
    }
  }

  @Test
  void variablesAreClosedInOrderWithTheMessage() {
    try (Guest guest = open("marksweep", "")) {
      guest.run(
          "log = {} function note(x) return closing(function(e) log[#log + 1] = x .. e end) end");
      exhaust(
          guest,
          """
          local a <close> = note 'a '
          pcall(function()
            local b <close> = note 'b '
            coroutine.wrap(function()
              local c <close> = note 'c '
              table.sort({2, 1}, function()
                local d <close> = note 'd '
                local e <close> = setmetatable({}, {__close = function() error('in e') end})
                loop()
              end)
            end)()
          end)
          """);
      assertThat(guest.run("return table.concat(log, '\\n')"))
          .containsExactly("d %s\nc %s\nb %s\na %s".replace("%s", TOLD));
    }
  }

  @Test
  void whatClosesAVariableIsOrdinaryCode() {
    try (Guest guest = open("marksweep", "")) {
      exhaust(
          guest,
          """
          coroutine.wrap(function()
            local c <close> = closing(function()
              local co = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end)
              seen = {pcall(error, 'x')}
              seen[3] = co() seen[4] = co()
              seen[5] = host(function() return 'host' end)
              seen[6], seen[7] = pcall(coroutine.yield)
            end)
            loop()
          end)()
          """);
      assertThat(guest.run("return table.unpack(seen)"))
          .containsExactly(
              false, "x", 1L, 2L, "host", false, "attempt to yield across a C-call boundary");
      works(guest, "closing");
    }
  }

  @Test
  void budgetWithinABudgetIsTheSmallerOne() {
    try (Guest guest = open("marksweep", "")) {
      List<String> told = new ArrayList<>();
      guest.set(
          "limited",
          a -> {
            try {
              return ((LuaValue) need(a[0])).call(Budget.ofInstructions((Long) need(a[1])));
            } catch (LuaLimitException e) {
              told.add(e.getMessage());
              return new Object[] {"ended"};
            }
          });
      guest.set("through", a -> ((LuaValue) need(a[0])).call(Budget.ofInstructions(500)));
      assertThat(
              guest.run("return limited(loop, 500), limited(function() return 7 end, 500)", BUDGET))
          .containsExactly("ended", 7L);
      exhaust(guest, "limited(loop, 50000) escaped = true");
      exhaust(guest, "limited(function() pcall(limited, loop, 30000) end, 40000) escaped = true");
      assertThat(told)
          .containsExactly("instruction limit of this call reached (500)", TOLD, TOLD, TOLD);
      assertThat(guest.run("return pcall(through, loop)", BUDGET))
          .containsExactly(false, "instruction limit of this call reached (500)");
      assertThatThrownBy(() -> guest.run("through(loop)"))
          .isInstanceOf(LuaException.class)
          .hasMessageContaining("instruction limit of this call reached (500)")
          .hasCauseInstanceOf(LuaLimitException.class);
      works(guest, "nested");
    }
  }

  @Test
  void lifeIsTheLastLimit() {
    try (Guest guest = open("marksweep", "gleaner.lua.max-instructions = 100000")) {
      exhaust(guest, "loop()");
      exhaust(guest, "loop()");
      assertThatThrownBy(() -> guest.run("loop()", Budget.ofInstructions(1_000_000)))
          .isInstanceOfSatisfying(LuaLimitException.class, e -> assertThat(e.ofCall()).isFalse())
          .hasMessage("instruction limit reached (100000)");
      assertThat(guest.instructions()).isEqualTo(100_000);
      assertThatThrownBy(() -> guest.run("return 1", BUDGET))
          .hasMessage("instruction limit reached (100000) before: the guest can only be closed");
    }
    try (Guest guest = open("marksweep", "gleaner.lua.max-instructions = 40000")) {
      assertThatThrownBy(() -> guest.run("local c <close> = closing(loop) loop()", BUDGET))
          .hasMessage("instruction limit reached (40000)");
    }
  }

  @Test
  void timeOfACall() {
    try (Guest guest = open("marksweep", "")) {
      for (Budget budget :
          List.of(
              Budget.ofTime(Duration.ofMillis(5)),
              Budget.ofCpuTime(Duration.ofMillis(5)),
              Budget.ofTime(Duration.ofHours(1)).withCpuTime(Duration.ofMillis(5)))) {
        assertThatThrownBy(() -> guest.run("loop()", budget))
            .isInstanceOfSatisfying(
                LuaLimitException.class,
                e -> {
                  assertThat(e.ofCall()).isTrue();
                  assertThat(e.limit()).isEqualTo(Limit.TIME);
                })
            .hasMessageEndingWith("time limit of this call reached (5 ms)".substring(1));
        works(guest, budget.toString());
      }
    }
    try (Guest guest = Lua.of(ConfigFactory.parseString("gleaner.lua.call-time = 2500us")).open()) {
      assertThatThrownBy(() -> guest.run("while true do end"))
          .hasMessage("time limit of this call reached (2500000 ns)");
    }
  }

  @Test
  void settingsLimitEachCall() {
    try (Guest guest = open("marksweep", "gleaner.lua.call-instructions = 30000")) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> guest.call("loop"))
            .hasMessage("instruction limit of this call reached (30000)");
        exhaust(guest, "loop()");
        works(guest, "a call");
      }
      LuaValue loop = (LuaValue) need(guest.get("loop"));
      assertThatThrownBy(loop::call).hasMessage("instruction limit of this call reached (30000)");
      assertThatThrownBy(() -> loop.call(BUDGET)).hasMessage(TOLD);
      LuaValue table = (LuaValue) need(guest.run("return setmetatable({}, {__index = loop})")[0]);
      assertThatThrownBy(() -> table.get("x"))
          .hasMessage("instruction limit of this call reached (30000)");
    }
  }

  @Test
  void graceCanBeNothing() {
    var out = new ByteArrayOutputStream();
    try (Guest guest = Lua.of(ConfigFactory.parseString("gleaner.lua.grace-time = 0s")).open(out)) {
      guest.run(
          "function f() local c <close> = setmetatable({}, {__close = function() for i = 1, 1e4 do"
              + " end print('closed') end}) while true do end end");
      assertThatThrownBy(() -> guest.call("f", BUDGET)).hasMessage(TOLD);
      assertThat(guest.run("return 1")).containsExactly(1L);
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void budgetsAreChecked() {
    assertThatThrownBy(() -> Budget.ofInstructions(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Budget.ofTime(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Budget.ofCpuTime(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Budget.ofTime(Duration.ofSeconds(Long.MAX_VALUE)).time()).isPositive();
    try (Guest guest = open("marksweep", "")) {
      assertThat(guest.run("return 1", Budget.ofInstructions(Long.MAX_VALUE))).containsExactly(1L);
      assertThat(guest.run("return ...", Budget.NONE, 1, 2)).containsExactly(1L, 2L);
    }
  }

  @Test
  void errorOfARoutineThatGoesOnIsCaught() {
    try (Guest guest = open("marksweep", "")) {
      guest.define(
          "fails",
          call ->
              Answer.call(
                  next -> {
                    throw new IllegalStateException("went on");
                  },
                  call.get(1),
                  call.get(2)));
      assertThat(guest.run("return pcall(fails, pcall, error)")).startsWith(false);
      assertThat(guest.run("return select(2, pcall(fails, pcall, error))").length).isOne();
      works(guest, "a routine");
    }
  }
}
