package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Libraries that others wrote, as Debian installs them: what their documents show prints what
 * lua5.4 prints.
 */
class PackagesTest {
  private static final List<String> FOLDERS =
      List.of("/usr/share/lua/5.4", "/usr/share/lua/5.3", "/usr/share/lua/5.1");

  /** Where each is below a folder. */
  private static final Map<String, String> FILES =
      Map.of(
          "argparse", "argparse.lua",
          "dkjson", "dkjson.lua",
          "inspect", "inspect.lua",
          "markdown", "markdown.lua",
          "penlight", "pl/init.lua");

  static Stream<Arguments> cases() {
    return FILES.keySet().stream()
        .sorted()
        .flatMap(name ->
            Stream.of("marksweep", "refcount", "hybrid", "semispace", "framestack")
                .map(collector -> Arguments.of(name, collector)));
  }

  /** A folder with this library alone: what else is installed must not change what is printed. */
  private static boolean link(String name, Path alone) throws IOException {
    for (String folder : FOLDERS) {
      Path file = Path.of(folder, FILES.getOrDefault(name, ""));
      if (Files.isReadable(file)) {
        Path top = Path.of(folder).relativize(file).getName(0);
        Files.createSymbolicLink(alone.resolve(top), Path.of(folder).resolve(top));
        return true;
      }
    }
    return false;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void printsWhatLuaPrints(String name, String collector, @TempDir Path alone) throws IOException {
    Oracle.require();
    Assumptions.assumeTrue(link(name, alone), "the package lua-" + name + " is not installed");
    String script =
        "package.path, package.cpath = '%s/?.lua;%s/?/init.lua', '' ".formatted(alone, alone)
            + Oracle.resource(PackagesTest.class, "/packages/" + name + ".lua");
    String expected = Oracle.run(script);
    assertThat(expected).doesNotContain("stack traceback");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Guest guest =
        Lua.of(ConfigFactory.parseString("gleaner.collector = " + collector))
            .openTrusted(InputStream.nullInputStream(), out, out)) {
      guest.run(script.getBytes(StandardCharsets.ISO_8859_1), "@script.lua");
    }
    assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo(expected);
  }
}
