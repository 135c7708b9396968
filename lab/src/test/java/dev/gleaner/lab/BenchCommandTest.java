package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.lab.measure.ProgramTimes;
import dev.gleaner.lab.output.BenchTable;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.script.LuaProgram;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code gleaner bench lua}. */
class BenchCommandTest {
  private static final Machine MACHINE = new Machine("cpu", 2, 1L << 30, "os", "jvm");

  private static Result run(String... arguments) {
    return Result.of(Stream.concat(Stream.of("bench"), Stream.of(arguments)).toList());
  }

  @Test
  @Tag("exhaustive")
  void runsProgramsUnderCollectorsAndLua() throws Exception {
    Result result =
        run(
            "lua",
            "--collector",
            "marksweep,refcount",
            "--runs=2",
            "--size=8",
            "--format=json",
            "queens",
            "fib");
    assertThat(result.status()).as(result.err()).isZero();
    JsonNode results = new ObjectMapper().readTree(result.out()).get("results");
    Map<String, Long> printed = new LinkedHashMap<>();
    int compared = BenchRun.isLuaInstalled() ? 3 : 2;
    assertThat(results).hasSize(2 * compared);
    for (JsonNode each : results) {
      assertThat(each.get("status").asText()).isEqualTo("ok");
      assertThat(each.get("cpu_seconds")).hasSize(2);
      long checksum = each.get("checksum").asLong();
      String program = each.get("program").asText();
      assertThat(Objects.requireNonNullElse(printed.put(program, checksum), checksum))
          .isEqualTo(checksum);
    }
    assertThat(printed).containsOnlyKeys("fib", "queens");
    assertThat(printed.get("fib")).isNotEqualTo(printed.get("queens"));
  }

  @Test
  void aProgramThatFailsIsToldWithStatusOne() {
    Result result =
        run(
            "lua",
            "--collector=marksweep",
            "--runs=1",
            "--size=12",
            "--quiet",
            "-D",
            "gleaner.lua.max-instructions=1000",
            "fib");
    assertThat(result.out()).contains("fib under marksweep: instruction limit reached");
    assertThat(result.status()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lu | (lua?)",
        "lua fibb | (fib?)",
        "lua --runs 0 fib | --runs 0: at least 1",
        "lua --luaj nowhere.jar fib | --luaj nowhere.jar: there is no such file",
        "lua --collector markswep fib | (marksweep?)"
      })
  void saysWhatWouldBeRight(String line, String message) {
    Result result = run(line.split(" ", -1));
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.err()).contains(message);
  }

  /** {@code -Dgleaner.test.luaj=JAR} names it. */
  @Test
  void luajRunsThem() throws Exception {
    String jar = System.getProperty("gleaner.test.luaj", "");
    assumeTrue(!jar.isEmpty(), "gleaner.test.luaj names no jar of LuaJ");
    Result result =
        run(
            "lua",
            "--collector=marksweep",
            "--runs=1",
            "--size=9",
            "--luaj",
            jar,
            "--format=csv",
            "fib");
    List<String> lines = result.out().lines().toList();
    String[] ours = lines.get(lines.size() - 2).split(",", -1);
    String[] luaj = lines.getLast().split(",", -1);
    assertThat(luaj).startsWith("fib", "luaj").endsWith(ours[4], "ok");
  }

  @Test
  void allProgramsAreThere() {
    for (LuaProgram each : LuaProgram.ALL) {
      assertThat(new String(each.source(), StandardCharsets.UTF_8)).contains("arg[1]");
    }
  }

  @Test
  void tablesAreInMultiplesWithMeansAndNotes() {
    Map<String, List<ProgramTimes>> times = new LinkedHashMap<>();
    times.put(
        "one",
        List.of(
            new ProgramTimes("one", "lua5.4", List.of(0.5, 0.4), 7, ""),
            new ProgramTimes("one", "a", List.of(4.0, 0.8), 7, ""),
            new ProgramTimes("one", "luaj", List.of(1.0), 8, "")));
    times.put(
        "two",
        List.of(
            new ProgramTimes("two", "lua5.4", List.of(0.1), 7, ""),
            new ProgramTimes("two", "a", List.of(1.0, 0.8), 7, ""),
            ProgramTimes.failed("two", "luaj", "no")));
    List<String> interpreters = List.of("lua5.4", "a", "luaj");
    BenchTable table = new BenchTable("lua5.4", interpreters, times, 2, List.of("a"));
    assertThat(table.ok()).isTrue();
    assertThat(table.text(Format.TABLE, MACHINE, 80))
        .isEqualTo(
            """
            The first run in a process, in multiples of lua5.4
                  lua5.4
                       s      a  luaj
            one     0.50  10.00  2.50
            two     0.10  10.00     –
            mean    0.22  10.00  2.50

            The best of 2 runs in a process, in multiples of lua5.4
                  lua5.4
                       s     a  luaj
            one     0.40  2.00  2.50
            two     0.10  8.00     –
            mean    0.20  4.00  2.50

            one under luaj prints another thing than under lua5.4
            two under luaj: no
            cpu, 2 cores, 1 GiB, os, jvm\
            """);
    assertThat(new BenchTable("lua5.4", interpreters, times, 2, List.of("a", "luaj")).ok())
        .isFalse();
  }

  @Test
  void theBestOfOneRunIsNoTableOfItsOwn() {
    Map<String, List<ProgramTimes>> times =
        Map.of("one", List.of(new ProgramTimes("one", "a", List.of(0.5), 7, "")));
    BenchTable table = new BenchTable("lua5.4", List.of("a"), times, 1, List.of("a"));
    assertThat(table.text(Format.TABLE, MACHINE, 80))
        .startsWith("The first run in a process, in seconds\n")
        .doesNotContain("The best of");
  }
}
