package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.settings.ConfigurationException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Work is charged as it is done, closing is bounded, and finalizers run in Lua's order. */
class GuestLimitsTest {
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
        "tonumber(s, 36) | 65536",
        "return s < r | 65536",
        "return s == r | 65536",
        "return rawequal(s, r) | 65536",
        "return c.nothing | 1900",
        "c.nothing = 1 | 1900",
      })
  void workIsChargedAsItIsDone(String work, long steps) {
    try (Guest guest = open("")) {
      guest.run(
          "s = ('z'):rep(1 << 20) r = ('z'):rep(1 << 20) c = {}"
              + " for i = 1, 1990 do c = setmetatable({}, {__index = c, __newindex = c}) end");
      long before = guest.instructions();
      guest.run(work);
      assertThat(guest.instructions() - before).isGreaterThanOrEqualTo(steps);
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
  void timesAreChecked() {
    assertThatThrownBy(() -> open("gleaner.lua.close-time = -1s"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("gleaner.lua.close-time");
  }
}
