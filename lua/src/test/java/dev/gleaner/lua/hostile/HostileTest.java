package dev.gleaner.lua.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.lua.LuaMemoryException;
import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Scripts that try to take everything: each ends as {@code hostile/scripts.txt} says, within its
 * limits, and the guest closes.
 *
 * <p>In the short tier an eighth of the scripts runs, each under one collector, in turn. The limit
 * on time is for a bug that escapes the one on instructions: no script reaches it.
 */
class HostileTest {
  private static final String ONLY = System.getProperty("gleanertest.hostile.script", "");
  private static final List<String> COLLECTORS =
      List.of("marksweep", "semispace", "refcount", "hybrid", "framestack");
  private static final long MEMORY = (long) Tier.number(4, 8) << 20;
  private static final long FEW_STEPS = Tier.number(200_000, 1_000_000);
  private static final long MANY_STEPS = 20_000_000;

  private record Script(String end, String name, String text) {}

  private final Map<String, Lua> opened = new HashMap<>();

  @Test
  @Tag("seeds")
  void endsWithinItsLimits() {
    List<Script> scripts = scripts();
    assertThat(scripts).hasSizeGreaterThan(150);
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < scripts.size(); i++) {
      Script script = scripts.get(i);
      for (int c = 0; c < COLLECTORS.size(); c++) {
        if (Tier.has(i, c, 8 * COLLECTORS.size()) && script.name().contains(ONLY)) {
          check(script, COLLECTORS.get(c), failures);
        }
      }
    }
    assertThat(failures).isEmpty();
  }

  private void check(Script script, String collector, List<String> failures) {
    long steps = script.end().equals("steps") ? FEW_STEPS : MANY_STEPS;
    Guest guest = lua(collector, steps).open();
    String end = end(guest, script);
    long peak = guest.statistics().peakBytes();
    long before = guest.instructions();
    try {
      guest.close();
    } catch (RuntimeException | Error e) {
      failures.add(collector + ": " + script.name() + ": close throws " + e);
    }
    if (!fits(script.end(), end)) {
      failures.add(
          collector + ": " + script.name() + ": ends by " + end + ", expected " + script.end());
    }
    if (peak > MEMORY) {
      failures.add(collector + ": " + script.name() + ": took " + peak + " bytes");
    }
    if (before > steps) {
      failures.add(collector + ": " + script.name() + ": ran " + before + " instructions");
    }
  }

  private static boolean fits(String expected, String end) {
    if (expected.startsWith("error ")) {
      return end.startsWith("error ") && end.contains(expected.substring("error ".length()));
    }
    return expected.equals(end)
        || (expected.equals("limit") && (end.equals("memory") || end.equals("steps")));
  }

  private static String end(Guest guest, Script script) {
    try {
      guest.run(script.text().getBytes(StandardCharsets.ISO_8859_1), "@hostile");
      return "ok";
    } catch (LuaMemoryException _) {
      return "memory";
    } catch (LuaLimitException e) {
      return e.limit() == Limit.INSTRUCTIONS ? "steps" : String.valueOf(e.getMessage());
    } catch (LuaException e) {
      return "error " + e.getMessage();
    } catch (RuntimeException | Error e) {
      return "Java's " + e + " at " + List.of(e.getStackTrace()).subList(0, 3);
    }
  }

  private Lua lua(String collector, long steps) {
    String config =
        String.format(
            Locale.ROOT,
            """
            gleaner { collector = %s, memory.max = %d, collectors.refcount.cycles = trial-deletion
              lua { max-instructions = %d, max-time = 120s } }
            """,
            collector,
            MEMORY,
            steps);
    return opened.computeIfAbsent(config, c -> Lua.of(ConfigFactory.parseString(c)));
  }

  private static List<Script> scripts() {
    List<Script> scripts = new ArrayList<>();
    String all = Oracle.resource(HostileTest.class, "/hostile/scripts.txt");
    String[] parts = ("\n" + all).split("\n--- ", -1);
    for (int i = 1; i < parts.length; i++) {
      int colons = parts[i].indexOf(" :: ");
      int line = parts[i].indexOf('\n');
      scripts.add(
          new Script(
              parts[i].substring(0, colons),
              parts[i].substring(colons + 4, line),
              parts[i].substring(line + 1)));
    }
    return scripts;
  }
}
