package dev.gleaner.lua.lib;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A script for each library of § 6.4 to 6.9 prints what Lua 5.4.8 prints, line by line: each
 * function as it is meant, and its errors. A script calls each function with wrong arguments, and
 * inside itself.
 *
 * <p>{@code -Dgleanertest.torture=N} verifies the heap after each collection, one at every Nth
 * allocation, for all scripts.
 */
class LibraryScriptsTest {
  private static final List<String> SCRIPTS =
      List.of("string", "utf8", "table", "math", "io", "os", "arguments", "options");
  private static final List<String> LARGE = List.of("string", "table", "arguments");
  private static final int TORTURE = Integer.getInteger("gleanertest.torture", 0);
  private static final TimeZone BEFORE = TimeZone.getDefault();

  @BeforeAll
  static void beInGreenwich() {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }

  @AfterAll
  static void beBack() {
    TimeZone.setDefault(BEFORE);
  }

  /** In the short tier each script with one collector. */
  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (String collector : Guests.COLLECTORS) {
      for (String script : SCRIPTS) {
        int c = Guests.COLLECTORS.indexOf(collector);
        if (Tier.has(SCRIPTS.indexOf(script), c, Guests.COLLECTORS.size())) {
          cases.add(Arguments.of(script, collector));
        }
      }
    }
    return cases.stream();
  }

  /** Not those of long strings and large tables: a collection each time takes minutes. */
  static Stream<Arguments> tortured() {
    return Guests.COLLECTORS.stream()
        .flatMap(c ->
            SCRIPTS.stream()
                .filter(s -> TORTURE > 0 || !LARGE.contains(s))
                .map(script -> Arguments.of(script, c)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Tag("seeds")
  void printsWhatLuaPrints(String script, String collector) {
    String text = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".lua");
    String expected = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".txt");
    String printed = Guests.run(collector, "gleaner.memory.max = 64MiB", text, "in1\nin2\n");
    assertThat(printed.split("\n")).containsExactly(expected.split("\n"));
  }

  @ParameterizedTest
  @MethodSource("tortured")
  void printsItUnderTorture(String script, String collector) {
    String text = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".lua");
    String expected = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".txt");
    String settings =
        "gleaner.memory.max = 64MiB\ngleaner.torture.gc = "
            + (TORTURE > 0 ? TORTURE + "\ngleaner.verify = after-collection" : "97");
    String printed = Guests.run(collector, settings, text, "in1\nin2\n");
    assertThat(printed.split("\n")).containsExactly(expected.split("\n"));
  }

  /** Each would take 64 GiB on the JVM's heap. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "package.searchpath(('.'):rep(2^18), '?', '.', ('x'):rep(2^18))",
        "package.searchpath(('x'):rep(2^18), ('?'):rep(2^18))",
        "package.searchpath(('x'):rep(2^12), ('?;'):rep(2^18))",
        "package.path = ('?;'):rep(2^18); require(('x'):rep(2^12))"
      })
  void namesOfFilesAreChargedBeforeTheyGrow(String script) {
    assertThat(Guests.run("marksweep", "gleaner.memory.max = 8MiB", script, ""))
        .contains(" is exhausted: ");
  }

  @Test
  void namesOfFilesEndAtAZeroByte() {
    String script =
        """
        local name = os.tmpname()
        local file <close> = io.open(name, 'w')
        file:write('return 7')
        file:flush()
        local longer = name .. '\\0' .. ('x'):rep(5000)
        print(loadfile(longer)(), io.open(longer) ~= nil, os.remove(longer))
        """;
    assertThat(Guests.run("marksweep", "", script, "")).isEqualTo("7\ttrue\ttrue\n");
  }

  @Test
  void aFirstLineBeforeABinaryChunkIsSkipped() {
    String script =
        """
        local name = os.tmpname()
        local function write(...)
          local file <close> = io.open(name, 'w')
          file:write(...)
        end
        local chunk = string.dump(load('return 7, debug.getinfo(1, "l").currentline'))
        for _, line in ipairs{'', '#\\n', '#!lua\\n', '#' .. ('x'):rep(8190) .. '\\n'} do
          write(line, chunk)
          print(dofile(name))
          write('\\xEF\\xBB\\xBF', line, chunk)
          print(pcall(dofile, name))
        end
        write('#')
        print(dofile(name))
        write('#\\n\\n', chunk)
        print(pcall(loadfile(name) or error))
        print(select(2, loadfile(name, 't')) ~= nil, os.remove(name))
        """;
    assertThat(Guests.run("marksweep", "", script, ""))
        .isEqualTo("7\t1\ntrue\t7\t1\n".repeat(4) + "\nfalse\tnil\ntrue\ttrue\n");
  }
}
