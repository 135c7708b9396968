package dev.gleaner.lua.lib;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random patterns, formats, packings, table operations and UTF-8: the same script makes the same
 * cases in lua5.4 and here, and prints the same. {@code -Dgleanertest.cases=N} makes more of them.
 */
@Tag("seeds")
class LibraryFuzzTest {
  private static final List<String> SCRIPTS =
      List.of("patterns", "formats", "packs", "tables", "utf8");
  private static final int CASES = Tier.number("gleanertest.cases", 80, 1000);

  static Stream<Arguments> cases() {
    return SCRIPTS.stream()
        .flatMap(script -> Guests.COLLECTORS.stream().map(c -> Arguments.of(script, c)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void doesAsLua(String script, String collector) {
    Oracle.require();
    // Each collector gets cases of its own.
    long seed = Long.getLong("gleaner.seed", 42) * 5 + Guests.COLLECTORS.indexOf(collector);
    System.out.println(script + " under " + collector + ": seed " + seed);
    String text =
        Oracle.resource(LibraryFuzzTest.class, "/fuzz/random.inc")
            + Oracle.resource(LibraryFuzzTest.class, "/fuzz/" + script + ".lua");
    String[] expected = Oracle.run(text, String.valueOf(seed), String.valueOf(CASES)).split("\n");
    String setup = "arg = {" + seed + "," + CASES + "} ";
    String[] printed =
        Guests.run(collector, "gleaner.memory.max = 64MiB", setup + text, "").split("\n");
    for (int i = 0; i < expected.length; i++) {
      assertThat(i < printed.length ? printed[i] : "nothing").isEqualTo(expected[i]);
    }
    assertThat(printed).hasSameSizeAs(expected);
  }
}
