package dev.gleaner.lua.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.Lua;
import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random programs print what lua5.4 prints, under every collector in turn, some of them with a
 * collection every 50 allocations and a check of the heap after each.
 *
 * <p>{@code -Dgleanertest.programs=N} runs N of them, {@code -Dgleaner.seed=N} begins elsewhere.
 */
@Tag("seeds")
class DifferentialTest {
  private static final int PROGRAMS = Tier.number("gleanertest.programs", 50, 300);
  private static final int BATCH = 100;
  private static final int TORTURED = 10;
  private static final List<String> COLLECTORS =
      List.of("marksweep", "semispace", "refcount", "hybrid", "framestack");
  private static final String TORTURE =
      "gleaner.torture.gc = 50, gleaner.verify = after-collection";

  private static final List<Integer> AFTER = List.of(1, 20, 3000);

  private final Map<String, Lua> opened = new HashMap<>();

  @Test
  void printsWhatLuaPrints() throws IOException {
    Oracle.require();
    long first = Long.getLong("gleaner.seed", 1);
    System.out.println("seed " + first);
    List<String> differences = new ArrayList<>();
    for (long seed = first; seed < first + PROGRAMS; seed += BATCH) {
      Map<String, String> programs = new LinkedHashMap<>();
      for (long s = seed; s < Math.min(seed + BATCH, first + PROGRAMS); s++) {
        programs.put(Long.toString(s), program(s));
      }
      Map<String, String> wanted = Differences.oracle(programs);
      programs.forEach((name, program) -> {
        long s = Long.parseLong(name);
        String expected = wanted.getOrDefault(name, "nothing");
        if (Differences.isEndless(expected) || expected.contains("C stack overflow")) {
          return; // how deep C may be is not the language's
        }
        String got = Differences.run(lua(s), name, program, isTraced(s));
        String difference = Differences.first(name, expected, got);
        if (!difference.isEmpty()) {
          differences.add(COLLECTORS.get(collector(s)) + ": " + difference);
        }
      });
    }
    assertThat(differences).isEmpty();
  }

  private static String program(long seed) {
    return RandomLua.program(seed, isTraced(seed), seed % 3 != 0, isOrdered(seed));
  }

  /**
   * Returns whether the order of finalizers is compared. The heap collects when asked only then.
   */
  private static boolean isOrdered(long seed) {
    return collector(seed) == 0 && !isTortured(seed);
  }

  private static boolean isTraced(long seed) {
    return seed % 2 == 0;
  }

  private static boolean isTortured(long seed) {
    return Math.floorMod(seed / COLLECTORS.size(), TORTURED) == 0;
  }

  private static int collector(long seed) {
    return Math.floorMod(seed, COLLECTORS.size());
  }

  private Lua lua(long seed) {
    String collector = COLLECTORS.get(collector(seed));
    int after = AFTER.get(Math.floorMod(seed / COLLECTORS.size(), AFTER.size()));
    String settings =
        "gleaner.lua.compile-after = "
            + after
            + (isTortured(seed) ? "\n" + TORTURE : "")
            + (isOrdered(seed) ? "\ngleaner.voluntary.enabled = false" : "");
    return opened.computeIfAbsent(collector + settings, _ -> Differences.lua(collector, settings));
  }
}
