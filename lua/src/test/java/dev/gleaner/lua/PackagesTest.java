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
import java.util.Optional;
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

  /** What each script needs, below a folder. */
  private static final Map<String, List<String>> FILES =
      Map.ofEntries(
          Map.entry("ansicolors", List.of("ansicolors.lua")),
          Map.entry("argparse", List.of("argparse.lua")),
          Map.entry("basexx", List.of("basexx.lua")),
          Map.entry("binaryheap", List.of("binaryheap.lua")),
          Map.entry("cgilua", List.of("cgilua")),
          Map.entry("cliargs", List.of("cliargs.lua", "cliargs")),
          Map.entry("coxpcall", List.of("coxpcall.lua")),
          Map.entry("dkjson", List.of("dkjson.lua")),
          Map.entry("fifo", List.of("fifo.lua")),
          Map.entry("inifile", List.of("inifile.lua")),
          Map.entry("inspect", List.of("inspect.lua")),
          Map.entry("ldoc", List.of("ldoc", "pl")),
          Map.entry("lemock", List.of("lemock.lua")),
          Map.entry("logging", List.of("logging.lua", "logging")),
          Map.entry("luassert", List.of("luassert", "say")),
          Map.entry("luacheck", List.of("luacheck", "argparse.lua")),
          Map.entry("luaunit", List.of("luaunit.lua")),
          Map.entry("markdown", List.of("markdown.lua")),
          Map.entry("mediator", List.of("mediator.lua")),
          Map.entry("messagepack", List.of("MessagePack.lua")),
          Map.entry("moses", List.of("moses.lua")),
          Map.entry("penlight", List.of("pl")),
          Map.entry("redis", List.of("redis.lua")),
          Map.entry("say", List.of("say")),
          Map.entry("uri", List.of("uri.lua", "uri")),
          Map.entry("wsapi", List.of("wsapi.lua", "wsapi")));

  static Stream<Arguments> cases() {
    return FILES.keySet().stream()
        .sorted()
        .flatMap(name ->
            Stream.of("marksweep", "refcount", "hybrid", "semispace", "framestack")
                .map(collector -> Arguments.of(name, collector)));
  }

  /** A folder with these alone: what else is installed must not change what is printed. */
  private static boolean link(List<String> files, Path alone) throws IOException {
    for (String file : files) {
      Optional<Path> found =
          FOLDERS.stream().map(folder -> Path.of(folder, file)).filter(Files::exists).findFirst();
      if (found.isEmpty()) {
        return false;
      }
      Files.createSymbolicLink(alone.resolve(file), found.get());
    }
    return true;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void printsWhatLuaPrints(String name, String collector, @TempDir Path alone) throws IOException {
    Oracle.require();
    Assumptions.assumeTrue(
        link(FILES.getOrDefault(name, List.of()), alone), name + " is not installed");
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
