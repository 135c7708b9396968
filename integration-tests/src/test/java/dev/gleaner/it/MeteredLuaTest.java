package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.metrics.MeteredHeapFactory;
import dev.gleaner.settings.ConfigurationException;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests whose heaps are watched by meters. */
class MeteredLuaTest {
  private static final String GARBAGE =
      "local t for i = 1, 2000 do t = {i, {i}} t[3] = t end collectgarbage()";

  private static Config config(String collector) {
    return ConfigFactory.parseString(
            "gleaner { memory.max = 8MiB, lua.max-instructions = 1000000, collector = "
                + collector
                + " }")
        .withFallback(ConfigFactory.load());
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void oneSetOfMetersForAllGuests(String collector) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Config config = config(collector);
    try (MeteredHeapFactory heaps =
        new MeteredHeapFactory(Gleaner.factory(Lua.heapConfig(config)), Tags.of("app", "rules"))) {
      heaps.bindTo(registry);
      Lua lua = Lua.of(heaps, config);
      try (Guest one = lua.open();
          Guest two = lua.open()) {
        one.run(GARBAGE);
        two.run("kept = ('x'):rep(1 << 20)");
        assertThat(registry.get("gleaner.heaps").tag("app", "rules").gauge().value()).isEqualTo(2);
        assertThat(registry.get("gleaner.memory.used").gauge().value())
            .isEqualTo((double) (one.statistics().usedBytes() + two.statistics().usedBytes()))
            .isGreaterThan(1 << 20);
        assertThatThrownBy(() -> one.run("while true do end"))
            .hasMessage("instruction limit reached (1000000)");
        assertThat(one.statistics().collections() + two.statistics().collections()).isPositive();
      }
      assertThat(registry.get("gleaner.heaps").gauge().value()).isZero();
      assertThat(registry.get("gleaner.memory.used").gauge().value()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hybrid", "marksweep"})
  void metersOfEachGuest(String collector) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Lua lua = Lua.of(config(collector));
    try (Guest one = lua.open();
        Guest two = lua.open();
        HeapMetrics ofOne = new HeapMetrics(one.heap());
        HeapMetrics ofTwo = new HeapMetrics(two.heap())) {
      ofOne.bindTo(registry);
      ofTwo.bindTo(registry);
      two.run("kept = ('x'):rep(1 << 20)");
      for (Guest guest : new Guest[] {one, two}) {
        assertThat(
                registry
                    .get("gleaner.memory.used")
                    .tag("heap", guest.heap().name())
                    .gauge()
                    .value())
            .isEqualTo((double) guest.statistics().usedBytes());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"refcount", "marksweep"})
  void settingsOfGuestsAreThoseOfOtherGuests(String collector) {
    Config config = config(collector);
    try (Guest guest = Lua.of(Gleaner.factory(Lua.heapConfig(config)), config).open();
        Guest usual = Lua.of(config).open()) {
      for (Guest g : new Guest[] {guest, usual}) {
        g.run(GARBAGE);
        g.run("local log = '' for i = 1, 3 do _G[i] = setmetatable({}, {__gc = print}) end");
      }
      assertThat(guest.statistics().usedBytes()).isEqualTo(usual.statistics().usedBytes());
    }
    assertThatThrownBy(() ->
            Lua.of(
                Gleaner.factory(Lua.heapConfig(config)),
                ConfigFactory.parseString("gleaner.lua.max-tim = 1s")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("max-tim");
  }
}
