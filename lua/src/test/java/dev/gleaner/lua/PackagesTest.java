package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
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

  private static String path() {
    StringBuilder path = new StringBuilder();
    FOLDERS.forEach(f -> path.append(f).append("/?.lua;").append(f).append("/?/init.lua;"));
    return path.toString();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void printsWhatLuaPrints(String name, String collector) {
    Oracle.require();
    Assumptions.assumeTrue(
        FOLDERS.stream().anyMatch(f -> Files.isReadable(Path.of(f, FILES.getOrDefault(name, "")))),
        "the package lua-" + name + " is not installed");
    String script =
        "package.path = '%s' ".formatted(path())
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
