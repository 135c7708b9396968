package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.PluginPath;
import dev.gleaner.kit.collector.KitCollectors;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lua's test programs print what lua5.4 printed under collectors that are built outside, and under
 * the kit's that moves everything. Each collection is followed by a check of the heap. {@code
 * -Dgleanertest.torture=N} has one at every Nth allocation; that takes long.
 */
class LuaProgramsTest {
  private static final Path PROGRAMS = Path.of("..", "lua", "src", "test", "resources", "programs");
  private static final int TORTURE = Integer.getInteger("gleanertest.torture", 0);

  private static final List<String> COLLECTORS = List.of("generational", "poison");

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PluginPath plugins;

  @BeforeAll
  static void build() throws IOException {
    plugins = PluginJar.thirdParty("generational", folder);
  }

  @AfterAll
  static void close() {
    if (plugins != null) { // the jars may not be packed
      plugins.close();
    }
  }

  /** In the short tier half of the programs, each with one collector. */
  static Stream<Arguments> cases() throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS)) {
      List<String> programs =
          files
              .map(f -> f.getFileName().toString())
              .filter(f -> f.endsWith(".lua"))
              .sorted()
              .toList();
      List<Arguments> cases = new ArrayList<>();
      for (int i = 0; i < programs.size(); i++) {
        for (int c = 0; c < COLLECTORS.size(); c++) {
          if (TORTURE > 0 || Tier.has(i, c, 4)) {
            cases.add(Arguments.of(COLLECTORS.get(c), programs.get(i)));
          }
        }
      }
      return cases.stream();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Tag("seeds")
  void printWhatLuaPrints(String collector, String program) throws IOException {
    String settings =
        "gleaner { collector = %s, verify = after-collection%s }"
            .formatted(collector, TORTURE > 0 ? ", torture.gc = " + TORTURE : "");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Guest guest =
        Lua.of(
                ConfigFactory.parseString(settings),
                List.of(plugins.loader(), KitCollectors.loader()))
            .openTrusted(InputStream.nullInputStream(), out, out)) {
      guest.setArguments(program);
      guest.run(Files.readAllBytes(PROGRAMS.resolve(program)), "@" + program);
    }
    Path recorded = PROGRAMS.resolve(program.replace(".lua", ".out"));
    assertThat(withoutAddresses(out.toString(StandardCharsets.ISO_8859_1)))
        .isEqualTo(Files.readString(recorded, StandardCharsets.ISO_8859_1));
  }

  private static String withoutAddresses(String text) {
    return text.replaceAll("0x[0-9a-f]{6,}", "ADDRESS").replace("builtin: ADDRESS", "ADDRESS");
  }
}
