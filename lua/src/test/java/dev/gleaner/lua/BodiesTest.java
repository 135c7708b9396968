package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiled functions of guests stay within the bound of their factory, and go on being right. */
final class BodiesTest {
  private static final int MOST = 10;

  /** Functions that differ; each is hot, then all are called again. */
  private static final String MANY =
      """
      local from, n = ...
      local all = {}
      for i = 1, n do
        local k = from + i
        local loop = "local x = 0 for i = 1, n do x = x + i * " .. k .. " end return x"
        all[i] = load("return function(n) " .. loop .. " end")()
        assert(all[i](100) == 5050 * k)
      end
      for i = 1, n do
        assert(all[i](100) == 5050 * (from + i))
      end
      keep = all
      return n
      """;

  private static Lua lua() {
    return lua(10);
  }

  private static Lua lua(int compileAfter) {
    String settings =
        "gleaner { memory.max = 16MiB, lua { compile-after = "
            + compileAfter
            + ", max-compiled = "
            + MOST
            + " } }";
    return Lua.of(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load()));
  }

  private static void checkBound(Lua lua) {
    CompiledFunctions figures = lua.compiled();
    assertThat(figures.functions()).isBetween(1, MOST);
    assertThat(figures.bytes()).isBetween(500L * figures.functions(), 20_000L * MOST);
    assertThat(figures.dropped()).isEqualTo(figures.made() - figures.functions());
  }

  @Test
  void functionsThatLoseTheirBodiesGoOn() {
    Lua lua = lua();
    List<Guest> guests = new ArrayList<>();
    for (int k = 0; k < 5; k++) {
      Guest guest = lua.open();
      guests.add(guest);
      assertThat(guest.run(MANY, 100L * k, 40L)).containsExactly(40L);
      checkBound(lua);
    }
    assertThat(lua.compiled().dropped()).isGreaterThan(5 * 30);
    for (int round = 0; round < 3; round++) {
      for (int k = 0; k < 5; k++) {
        assertThat(
                guests
                    .get(k)
                    .run("local s = 0 for i = 1, #keep do s = s + keep[i](100) end return s"))
            .containsExactly(5050L * (40 * 100 * k + 820));
      }
    }
    checkBound(lua);
    guests.forEach(Guest::close);
  }

  @Test
  @Tag("exhaustive")
  void aGuestMakesBodiesInProportionToItsWork() {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      assertThat(guest.run(MANY, 0L, 1500L)).containsExactly(1500L);
      assertThat(guest.instructions()).isLessThan(10_000_000);
      assertThat(lua.compiled().made()).isBetween(490L, 510L);
      assertThat(guest.run("local x = 0 for i = 1, 1e7 do x = x + i end")).isEmpty();
      long before = lua.compiled().made();
      assertThat(guest.run(MANY, 5000L, 100L)).containsExactly(100L);
      long steps = guest.instructions() / 1_000_000;
      assertThat(lua.compiled().made()).isBetween(before + 10, 500 + steps);
      checkBound(lua);
    }
  }

  /** Each script has one function that no instruction of an interpreted function calls often. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "table.sort({('x'):rep(50):byte(1, -1)}, function(a, b) return a < b end)",
        "('x'):rep(50):gsub('x', function(c) return c end)",
        "local f = function() end"
            + " load(('x = pcall(f) '):rep(50), 'f', 't', {pcall = pcall, f = f})()",
        "local f = function() end"
            + " load(('x = wrap(f)() '):rep(50), 'f', 't', {wrap = coroutine.wrap, f = f})()",
        "local t = setmetatable({}, {__index = function() return 1 end})"
            + " load('x = ' .. ('t.x + '):rep(50) .. '1', 't', 't', {t = t})()",
        "local t = setmetatable({}, {__lt = function() return 1 end})"
            + " load('x = ' .. ('t < t and '):rep(50) .. '1', 't', 't', {t = t})()",
      })
  void functionsThatTheLibraryOrAnOperatorCallsAreCompiled(String script) {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      assertThat(guest.run(script)).isEmpty();
      assertThat(lua.compiled().made()).isEqualTo(1);
    }
  }

  @Test
  void aFunctionThatACompiledOneCallsNowAndThenIsCompiled() {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      String script =
          "local f = function(x) return x end"
              + " local s = 0 for i = 1, 200 do if i % 4 == 0 then s = f(s) + 1 end end return s";
      assertThat(guest.run(script)).containsExactly(50L);
      assertThat(lua.compiled().made()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "local f = function(x) return x end for i = 1, %d do f(i) end return 1, 1",
        "local s, n = {}, 0 for i = 1, %d do s[i & 7] = i n = s[i & 7] end return 1, n // n",
        "local n = 0 for i = 1, %d do for _ in pairs{i} do n = n + 1 end end return 1, n // n",
        "local t = {0} while t[1] < %d do t[1] = t[1] + 1 end return 1, t[1] // t[1]",
        "local i = 0 repeat i = i + #'x' until i == %d return 1, i // i",
        "local n = 0 for x in string.rep('x', %d):gmatch '.' do n = n + #x end return 1, n // n",
      })
  void aFunctionThatRunsLongEarnsABodyThatInlinesSteps(String program) {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      String script = "f = function() " + program.formatted(50) + " end return f()";
      assertThat(guest.run(script)).containsExactly(1L, 1L);
      long made = lua.compiled().made();
      assertThat(made).isPositive();
      String longer = "f = function() " + program.formatted(50_000) + " end return f()";
      assertThat(guest.run(longer)).containsExactly(1L, 1L);
      assertThat(lua.compiled().made()).isGreaterThanOrEqualTo(made + 2);
      long instructions = guest.instructions();
      made = lua.compiled().made();
      try (Guest second = lua.open()) {
        assertThat(second.run(longer)).containsExactly(1L, 1L);
      }
      assertThat(lua.compiled().made()).isEqualTo(made); // the best bodies at once
      try (Guest interpreting = lua(0).open()) {
        assertThat(interpreting.run(script)).containsExactly(1L, 1L);
        assertThat(interpreting.run(longer)).containsExactly(1L, 1L);
        assertThat(interpreting.instructions()).isEqualTo(instructions);
      }
    }
    checkBound(lua);
  }

  @ParameterizedTest
  @CsvSource({
    "x + i, 1, 1",
    "x + i, 1 << 40, 2",
    "x - i * 3, 1 << 40, 2",
    "x ~ i << 33, 7, 2",
    "x < 1 and x or x + 0.5, 1.5, 1",
    "x + 1 > 4e9 and x, 1 << 40, 2"
  })
  void aFunctionWithLargeIntegersGetsABodyThatComputesInSlots(String term, String x, int bodies) {
    Lua lua = lua(100);
    try (Guest guest = lua.open()) {
      String script = "local x = " + x + " for i = 1, 5000 do x = " + term + " end return x";
      @Nullable Object[] result = guest.run(script);
      assertThat(lua.compiled().made()).as("%s", result[0]).isEqualTo(bodies);
      try (Guest interpreting =
          Lua.of(ConfigFactory.parseString("gleaner.lua.compile-after = 0")).open()) {
        assertThat(interpreting.run(script)).isEqualTo(result);
        assertThat(interpreting.instructions()).isEqualTo(guest.instructions());
      }
    }
    checkBound(lua);
  }

  /** Makes new functions, each hot, and calls those again that are kept. */
  private static void attack(Guest guest, long from) {
    assertThat(guest.run(MANY, from, 3L * MOST)).containsExactly(3L * MOST);
  }

  /** Calls what the guest kept, often enough that what has no body would get one. */
  private static void callKept(Guest guest) {
    for (int i = 0; i < 10; i++) {
      assertThat(guest.run("return keep[1](100) + keep[2](100) + keep[3](100)"))
          .containsExactly(5050L * 6);
    }
  }

  @Test
  void aGuestOfManyBodiesTakesNoneOfOneThatHasFewer() {
    Lua lua = lua();
    try (Guest quiet = lua.open();
        Guest hostile = lua.open()) {
      assertThat(quiet.run(MANY, 0L, 3L)).containsExactly(3L);
      CompiledFunctions own = quiet.compiled();
      assertThat(own.functions()).isBetween(3, 4);
      for (int k = 1; k <= 12; k++) {
        attack(hostile, 1000L * k);
        assertThat(quiet.compiled()).isEqualTo(own);
      }
      assertThat(hostile.compiled().made()).isGreaterThan(300);
      assertThat(hostile.compiled().functions()).isEqualTo(MOST - own.functions());
      long made = lua.compiled().made();
      callKept(quiet);
      assertThat(lua.compiled().made()).isEqualTo(made); // none was lost and made again
    }
    assertThat(lua.compiled().dropped()).isGreaterThan(300);
  }

  @Test
  void aGuestThatHasTheBodiesOfAnotherTakesNoneOfThem() {
    Lua lua = lua();
    try (Guest hostile = lua.open();
        Guest quiet = lua.open()) {
      assertThat(hostile.run(MANY, 0L, 8L))
          .containsExactly(8L); // those of the quiet one, among more
      assertThat(quiet.run(MANY, 0L, 3L)).containsExactly(3L);
      CompiledFunctions own = quiet.compiled();
      assertThat(own.functions()).isEqualTo(3);
      for (int k = 1; k <= 5; k++) {
        attack(hostile, 1000L * k);
      }
      assertThat(quiet.compiled()).isEqualTo(own);
      long made = lua.compiled().made();
      callKept(quiet);
      assertThat(lua.compiled().made()).isEqualTo(made);
    }
  }

  @Test
  void theShareOfAClosedGuestGoesToOneThatHasTheSameBodies() {
    Lua lua = lua();
    try (Guest second = lua.open()) {
      try (Guest first = lua.open()) {
        assertThat(first.run(MANY, 0L, 4L)).containsExactly(4L);
        assertThat(second.run(MANY, 0L, 4L)).containsExactly(4L);
        assertThat(first.compiled().functions() + second.compiled().functions())
            .isEqualTo(lua.compiled().functions());
      }
      assertThat(second.compiled().functions()).isGreaterThanOrEqualTo(4);
    }
    assertThat(lua.compiled().functions()).isGreaterThanOrEqualTo(4); // kept for the next guest
  }

  @Test
  void theBodiesOfAGuestFallToItsShareWhenOthersCome() {
    Lua lua = lua();
    List<Guest> guests = new ArrayList<>();
    for (int k = 0; k < 5; k++) {
      guests.add(lua.open());
    }
    for (int round = 0; round < 3; round++) {
      for (int k = 0; k < 5; k++) {
        attack(guests.get(k), 1000L * k);
      }
    }
    assertThat(guests).extracting(g -> g.compiled().functions()).containsOnly(MOST / 5);
    checkBound(lua);
    guests.forEach(Guest::close);
  }

  @Test
  void nothingIsCompiledWhereNothingShallBe() {
    Lua lua = Lua.of(ConfigFactory.parseString("gleaner.lua.compile-after = 0"));
    try (Guest guest = lua.open()) {
      attack(guest, 0);
      assertThat(lua.compiled()).isEqualTo(new CompiledFunctions(0, 0, 0, 0));
    }
  }

  @Test
  void bodiesOfClosedGuestsGoFirst() {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      assertThat(guest.run(MANY, 0L, 2L)).containsExactly(2L);
      long own = lua.compiled().made();
      for (int k = 1; k <= 20; k++) {
        try (Guest other = lua.open()) {
          assertThat(other.run(MANY, 1000L * k, 3L)).containsExactly(3L);
        }
      }
      long made = lua.compiled().made();
      assertThat(made).isGreaterThan(own + MOST);
      assertThat(guest.run("return keep[1](100) + keep[2](100)")).containsExactly(15_150L);
      for (int i = 0; i < 10; i++) {
        assertThat(guest.run("return keep[1](100)")).containsExactly(5050L);
      }
      // Had they lost their bodies, they would have been made again.
      assertThat(lua.compiled().made()).isEqualTo(made);
    }
  }

  @Test
  void guestsOfManyThreadsShareTheBound() throws Exception {
    Lua lua = lua();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<Object[]>> all = new ArrayList<>();
      for (int k = 0; k < 12; k++) {
        long from = 50L * (k % 6); // each pair has the same functions
        all.add(
            threads.submit(() -> {
              try (Guest guest = lua.open()) {
                return guest.run(MANY, from, 40L);
              }
            }));
      }
      for (Future<Object[]> f : all) {
        assertThat(f.get()).containsExactly(40L);
      }
    }
    checkBound(lua);
  }
}
