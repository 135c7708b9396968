package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.testing.Tier;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of a guest's values on the JVM's heap stay within the guest's limit. */
final class JavaMemoryTest {
  private static final long LIMIT = 8 << 20;

  /** What an account may have reserved and not used, at each of two times. */
  private static final long GRANT = 3 * 4096;

  /** A thousand times one string of a MiB. */
  private static final String THOUSAND =
      "local s = ('x'):rep(1 << 20) local t = {} for i = 1, 1000 do t[i] = s end ";

  private static Guest open(String collector) {
    String settings = "gleaner.memory.max = " + LIMIT + "\ngleaner.collector = " + collector;
    return Lua.of(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load())).open();
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  /** What lasts takes a quarter of the limit, and is given back when scripts drop it. */
  @ParameterizedTest
  @CsvSource({"framestack, 0", "hybrid, 1", "marksweep, 2", "refcount, 3", "semispace, 0"})
  @Tag("seeds")
  void whatLastsTakesAQuarter(String collector, int first) {
    List<String> makes =
        List.of(
            "load('return ' .. i, '=' .. ('n'):rep(2000))",
            "setmetatable({}, {__gc = function() end})",
            "object()",
            "define()");
    for (int i = 0; i < makes.size(); i++) {
      if (!Tier.has(i, first, makes.size())) {
        continue;
      }
      String make = makes.get(i);
      try (Guest guest = open(collector)) {
        guest.setMetatable(Object.class, guest.newTable(), null);
        guest.define("object", _ -> Answer.results(new Object()));
        HostFunction function = _ -> new Object[0];
        guest.define("define", _ -> Answer.results(function));
        guest.run("function drop() t = nil collectgarbage() collectgarbage() end");
        String script = "t = {} for i = 1, 1e9 do t[i] = %s end".formatted(make);
        assertThat(guest.run("return pcall(load(...))", script))
            .containsExactly(false, "not enough memory");
        assertThat(guest.statistics().externalBytes()).isBetween(LIMIT / 5, LIMIT / 4 + (16 << 10));
        guest.call("drop");
        isUnharmed(guest);
      }
    }
  }

  /** What the docs say that an element with {@code __gc}, an object of the host, a file costs. */
  @Test
  void whatLastsCostsWhatTheDocsSay() {
    OutputStream nowhere = OutputStream.nullOutputStream();
    Lua lua =
        Lua.of(
            ConfigFactory.parseString("gleaner.memory.max = 8MiB")
                .withFallback(ConfigFactory.load()));
    try (Guest guest = lua.openTrusted(InputStream.nullInputStream(), nowhere, nowhere)) {
      guest.setMetatable(Object.class, guest.newTable(), null);
      guest.define("object", _ -> Answer.results(new Object()));
      assertThat(charged(guest, "setmetatable({}, mt)", 1000)).isBetween(64_000L, 64_000L + GRANT);
      assertThat(charged(guest, "object()", 1000)).isBetween(240_000L, 240_000L + GRANT);
      assertThat(charged(guest, "io.tmpfile()", 100)).isBetween(614_400L, 640_000L + GRANT);
    }
  }

  private static long charged(Guest guest, String make, int times) {
    guest.run("K, mt = {}, {__gc = function() end}");
    Script script = Lua.prepare("for i = 1, ... do K[i] = " + make + " end");
    guest.run(script, 1L);
    long before = lasting(guest);
    guest.run(script, (long) times);
    return lasting(guest) - before;
  }

  /** Returns the bytes that are charged when garbage is gone. */
  private static long lasting(Guest guest) {
    guest.run("collectgarbage() collectgarbage()");
    return guest.statistics().externalBytes();
  }

  /** Host functions in each other that fail leave one exception, not a chain of them. */
  @Test
  void failuresOfHostFunctionsInEachOtherHaveOneCause() {
    try (Guest guest = open("marksweep")) {
      HostFunction call = arguments -> ((LuaValue) arguments[0]).call(arguments[1]);
      guest.set("call", call);
      LuaException e =
          catchThrowableOfType(
              LuaException.class,
              () ->
                  guest.run("function f(n) return n == 0 and error {} or call(f, n - 1) end f(9)"));
      int causes = 0;
      for (Throwable t = e; t != null; t = t.getCause()) {
        causes++;
      }
      assertThat(causes).isEqualTo(2);
    }
  }

  private static void isUnharmed(Guest guest) {
    assertThat(guest.run("t = nil return 1 + 1")).containsExactly(2L);
    assertThat(guest.statistics().externalBytes()).isLessThan(64 << 10);
    assertThat(guest.heap().inspect().verify()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void resultsAreBounded(String collector) {
    try (Guest guest = open(collector)) {
      long before = allocated();
      assertThatThrownBy(() -> guest.run(THOUSAND + "return table.unpack(t)"))
          .isInstanceOf(LuaMemoryException.class);
      assertThat(allocated() - before).isLessThan(8 * LIMIT);
      assertThat(guest.run(THOUSAND + "return table.unpack(t, 1, 2)")).hasSize(2);
      isUnharmed(guest);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void argumentsForTheHostAreBoundedAndScriptsCatchThat(String collector) {
    try (Guest guest = open(collector)) {
      int[] calls = {0};
      HostFunction count = arguments -> new Object[] {(long) ++calls[0]};
      guest.set("host", count);
      long before = allocated();
      assertThat(guest.run(THOUSAND + "return pcall(host, table.unpack(t))"))
          .containsExactly(false, "not enough memory");
      assertThat(calls[0]).isZero();
      assertThat(guest.run("return pcall(host, {}, {}, 'x')")).containsExactly(true, 1L);
      assertThat(allocated() - before).isLessThan(8 * LIMIT);
      isUnharmed(guest);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void namesInTracebacksAreBounded(String collector) {
    String script =
        """
        local long = ("n"):rep(1 << 20)
        local function f(n) if n > 0 then local x = f(n - 1) return x end error("deep", 0) end
        package = nil
        local t = {} t[long] = f
        for _, library in pairs {string, table, math} do library[long] = f end
        f(20)
        """;
    try (Guest guest = open(collector)) {
      long before = allocated();
      assertThatThrownBy(() -> guest.run(script)).isInstanceOf(LuaException.class);
      assertThat(allocated() - before).isLessThan(20 * LIMIT);
      isUnharmed(guest);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void errorsAreBounded(String collector) {
    try (Guest guest = open(collector)) {
      long before = allocated();
      assertThatThrownBy(() -> guest.run("error(('x'):rep(3 << 20), 0)"))
          .isInstanceOf(LuaMemoryException.class);
      assertThatThrownBy(() -> guest.run("error(('x'):rep(1 << 18), 0)"))
          .isInstanceOf(LuaException.class)
          .hasMessage("x".repeat(1 << 18));
      assertThat(allocated() - before).isLessThan(8 * LIMIT);
      isUnharmed(guest);
    }
  }
}
