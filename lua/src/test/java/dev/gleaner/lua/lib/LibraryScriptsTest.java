package dev.gleaner.lua.lib;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.Oracle;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A script for each library of § 6.4 to 6.9 prints what lua5.4 printed, line by line: each function
 * as it is meant, and its errors. A script calls each function with wrong arguments, and inside
 * itself.
 *
 * <p>{@code -Dgleanertest.torture=N} verifies the heap after each collection, one at every Nth
 * allocation, for all scripts.
 */
class LibraryScriptsTest {
  private static final List<String> SCRIPTS =
      List.of("string", "utf8", "table", "math", "io", "os", "arguments");
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

  static Stream<Arguments> cases() {
    return Guests.COLLECTORS.stream()
        .flatMap(c -> SCRIPTS.stream().map(script -> Arguments.of(script, c)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void printsWhatLuaPrints(String script, String collector) {
    String text = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".lua");
    String expected = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".txt");
    String printed = Guests.run(collector, "gleaner.memory.max = 64MiB", text, "in1\nin2\n");
    assertThat(printed.split("\n")).containsExactly(expected.split("\n"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void printsItUnderTorture(String script, String collector) {
    boolean large = script.equals("string") || script.equals("table") || script.equals("arguments");
    if (large && TORTURE == 0) {
      return; // they make long strings and large tables: a collection each time takes minutes
    }
    String text = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".lua");
    String expected = Oracle.resource(LibraryScriptsTest.class, "/lib/" + script + ".txt");
    String settings =
        "gleaner.memory.max = 64MiB\ngleaner.torture.gc = "
            + (TORTURE > 0 ? TORTURE + "\ngleaner.verify = after-collection" : "97");
    String printed = Guests.run(collector, settings, text, "in1\nin2\n");
    assertThat(printed.split("\n")).containsExactly(expected.split("\n"));
  }
}
