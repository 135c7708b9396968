package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.machine.Bodies.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

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
    String settings =
        "gleaner { memory.max = 16MiB, lua { compile-after = 10, max-compiled = " + MOST + " } }";
    return Lua.of(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load()));
  }

  private static void checkBound(Lua lua) {
    Figures figures = lua.bodies().figures();
    assertThat(figures.bodies()).isBetween(1, MOST);
    assertThat(figures.evicted()).isLessThanOrEqualTo(figures.made() - figures.bodies());
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
    assertThat(lua.bodies().figures().evicted()).isGreaterThan(5 * 30);
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
  void aGuestMakesABoundedNumberOfBodies() {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      assertThat(guest.run(MANY, 0L, 1500L)).containsExactly(1500L);
      assertThat(lua.bodies().figures().made()).isLessThanOrEqualTo(500);
      checkBound(lua);
    }
  }

  @Test
  void bodiesOfClosedGuestsGoFirst() {
    Lua lua = lua();
    try (Guest guest = lua.open()) {
      assertThat(guest.run(MANY, 0L, 2L)).containsExactly(2L);
      long own = lua.bodies().figures().made();
      for (int k = 1; k <= 20; k++) {
        try (Guest other = lua.open()) {
          assertThat(other.run(MANY, 1000L * k, 3L)).containsExactly(3L);
        }
      }
      long made = lua.bodies().figures().made();
      assertThat(made).isGreaterThan(own + MOST);
      assertThat(guest.run("return keep[1](100) + keep[2](100)")).containsExactly(15_150L);
      for (int i = 0; i < 20; i++) {
        assertThat(guest.run("return keep[1](100)")).containsExactly(5050L);
      }
      // Had they lost their bodies, they would have been made again.
      assertThat(lua.bodies().figures().made()).isEqualTo(made);
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
