package dev.gleaner.lua.random;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hostile programs end by a result or by a documented exception, within their limits, and leave a
 * sound heap; those that can be compared print what lua5.4 prints.
 *
 * <p>Collectors, small limits, early and late compiling, and torture take turns.
 *
 * <p>{@code -Dgleanertest.hostile=N} runs N programs, {@code -Dgleaner.seed=N} begins elsewhere.
 */
@Tag("seeds")
class HostileProgramsTest {
  private static final int PROGRAMS = Tier.number("gleanertest.hostile", 16, 6_000);
  private static final int BATCH = 100;

  /** A guard against loops without an end, far beyond what a slow machine needs. */
  private static final long MOST_NANOS = 20_000_000_000L;

  private static final List<String> COLLECTORS =
      List.of("marksweep", "semispace", "refcount", "hybrid", "framestack");
  private static final List<String> SIZES = List.of("256KiB", "512KiB", "1MiB", "8MiB");
  private static final List<Integer> STEPS = List.of(5_000, 50_000, 500_000, 2_000_000);

  /** Runs a program as deep as lua5.4 runs it: so many calls in each other fit. */
  private static final String AS_THE_ORACLE =
      "local text, name = ... local ok, e = pcall(load(text, name, 't'))"
          + " if not ok then error(e, 0) end";

  private final Map<String, Lua> opened = new HashMap<>();
  private final List<String> failures = new ArrayList<>();
  private long longest;
  private String slowest = "";

  @Test
  void wildProgramsEndAsDocumented() {
    long first = Long.getLong("gleaner.seed", 1);
    for (long seed = first; seed < first + PROGRAMS / 2; seed++) {
      run(wild(seed), "wild " + seed, HostileLua.program(seed, true));
    }
    finish();
  }

  @Test
  void comparableProgramsPrintWhatLuaPrints() throws IOException {
    Oracle.require();
    long first = Long.getLong("gleaner.seed", 1);
    for (long seed = first; seed < first + PROGRAMS / 2; seed += BATCH) {
      Map<String, String> programs = new LinkedHashMap<>();
      for (long s = seed; s < Math.min(seed + BATCH, first + PROGRAMS / 2); s++) {
        programs.put(Long.toString(s), HostileLua.program(s, false));
      }
      Map<String, String> wanted = Differences.oracle(programs);
      programs.forEach((name, program) -> {
        long s = Long.parseLong(name);
        String expected = wanted.getOrDefault(name, "nothing");
        if (!Differences.isEndless(expected) && !expected.contains("stack overflow")) {
          String got = run(comparable(s), name, program);
          String difference = Differences.first(name, expected, got);
          if (!difference.isEmpty() && !isOfHandlers(comparable(s), name, program)) {
            fail(collector(s) + ": " + difference);
          }
        }
      });
    }
    finish();
  }

  /**
   * Whether programs print the same without message handlers: one that fails calls itself 10 times
   * here, 200 times in C, and takes fuel each time.
   */
  private boolean isOfHandlers(Lua lua, String name, String program) {
    if (!program.contains("xpcall")) {
      return false;
    }
    String plain = "xpcall = function(f, _, ...) return pcall(f, ...) end " + program;
    try {
      String expected = Differences.oracle(Map.of(name, plain)).getOrDefault(name, "nothing");
      return Differences.isEndless(expected)
          || Differences.first(name, expected, run(lua, name, plain)).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void finish() {
    System.out.println("longest " + longest / 1_000_000 + " ms: " + slowest);
    assertThat(failures).isEmpty();
  }

  /** Told at once: a long run may be stopped. */
  private void fail(String failure) {
    failures.add(failure);
    System.out.println(failure);
  }

  private static <T> T turn(List<T> list, long by) {
    return list.get((int) Math.floorMod(by, (long) list.size()));
  }

  private static String collector(long seed) {
    return turn(COLLECTORS, seed);
  }

  private Lua wild(long seed) {
    long s = seed / COLLECTORS.size();
    return lua(seed, turn(SIZES, s), turn(STEPS, s / 4 + s));
  }

  private Lua comparable(long seed) {
    return lua(seed, "16MiB", 20_000_000);
  }

  private Lua lua(long seed, String memory, int steps) {
    long s = seed / COLLECTORS.size();
    String settings =
        "memory.max = %s, lua { max-instructions = %d, max-cpu-time = 10s, compile-after = %d }"
            .formatted(memory, steps, s % 2 == 0 ? 3 : 1000);
    if (s % 10 == 9) {
      settings += ", torture.gc = 40, verify = after-collection";
    }
    String config = "gleaner { collector = " + collector(seed) + ", " + settings + " }";
    return opened.computeIfAbsent(config, c -> Lua.of(ConfigFactory.parseString(c)));
  }

  /** Runs a program, checks how it ends, and returns what it printed. */
  private String run(Lua lua, String name, String program) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String end = "";
    long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    try (Guest guest = lua.open(out)) {
      try {
        guest.run(AS_THE_ORACLE, program.getBytes(StandardCharsets.ISO_8859_1), "@" + name);
      } catch (GuestException e) {
        end = "error\t" + e.getMessage() + "\n";
      }
      List<String> faults = guest.heap().inspect().verify();
      if (!faults.isEmpty()) {
        fail(name + ": " + faults);
      }
    } catch (RuntimeException | Error e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      fail(name + ": " + trace);
    }
    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;
    if (nanos > longest) {
      longest = nanos;
      slowest = name;
    }
    if (nanos > MOST_NANOS) {
      fail(name + ": took " + nanos / 1_000_000 + " ms");
    }
    return out.toString(StandardCharsets.ISO_8859_1) + end;
  }
}
