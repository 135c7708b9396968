package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs whose output is compared with what lua5.4 prints: recorded, and where it is installed.
 *
 * <p>{@code -Dgleanertest.torture=N} tortures all of them, with a collection at every Nth
 * allocation, in place of some; that takes long.
 */
class ProgramsTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "programs");
  private static final List<String> COLLECTORS =
      List.of("marksweep", "refcount", "hybrid", "semispace", "framestack");

  /** Whether a collector promises what a program asks for. */
  private static boolean suits(String collector, String program) {
    return switch (program) {
      case "order.lua" -> !collector.equals("semispace"); // it has an order of its own
      default -> true;
    };
  }

  private static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(f -> f.endsWith(".lua"))
          .sorted()
          .toList();
    }
  }

  /** In the short tier each program with one collector: not with that of CompiledTest. */
  static Stream<Arguments> everywhere() throws IOException {
    List<String> programs = programs();
    List<Arguments> cases = new ArrayList<>();
    for (int i = 0; i < programs.size(); i++) {
      for (int c = 0; c < COLLECTORS.size(); c++) {
        boolean runs = TORTURE > 0 || Tier.has(i + 1, c, COLLECTORS.size());
        if (runs && suits(COLLECTORS.get(c), programs.get(i))) {
          cases.add(Arguments.of(COLLECTORS.get(c), programs.get(i)));
        }
      }
    }
    return cases.stream();
  }

  private static final int TORTURE = Integer.getInteger("gleanertest.torture", 0);

  /** Those that do not take too long if each allocation may collect; or all. */
  static Stream<Arguments> tortured() throws IOException {
    if (TORTURE > 0) {
      return everywhere();
    }
    return COLLECTORS.stream()
        .flatMap(c ->
            Stream.of("called-values.lua", "closing.lua", "metamethods.lua", "debugging.lua")
                .map(p -> Arguments.of(c, p)));
  }

  /** Those that print the same under every release of lua5.4. */
  static Stream<String> all() throws IOException {
    return programs().stream().filter(p -> !p.equals("newer.lua"));
  }

  private static String recorded(String program) throws IOException {
    return Files.readString(
        FOLDER.resolve(program.replace(".lua", ".out")), StandardCharsets.ISO_8859_1);
  }

  /** Addresses differ from run to run. */
  private static String normal(byte[] output) {
    return new String(output, StandardCharsets.ISO_8859_1)
        .replaceAll("0x[0-9a-f]{6,}", "ADDRESS")
        .replace("builtin: ADDRESS", "ADDRESS");
  }

  private static String run(String settings, String program) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Guest guest =
        Lua.of(ConfigFactory.parseString(settings))
            .openTrusted(InputStream.nullInputStream(), out, out)) {
      guest.setArguments(program);
      guest.run(Files.readAllBytes(FOLDER.resolve(program)), "@" + program);
    }
    return normal(out.toByteArray());
  }

  @ParameterizedTest
  @MethodSource("everywhere")
  @Tag("seeds")
  void printsWhatLuaPrints(String collector, String program) throws IOException {
    assertThat(run("gleaner.collector = " + collector, program)).isEqualTo(recorded(program));
  }

  @ParameterizedTest
  @MethodSource("tortured")
  void printsTheSameWhereMemoryIsCollectedAllTheTime(String collector, String program)
      throws IOException {
    String settings =
        "gleaner.collector = "
            + collector
            + ", gleaner.verify = after-collection, gleaner.torture.gc = "
            + (TORTURE > 0 ? TORTURE : 31);
    assertThat(run(settings, program)).isEqualTo(recorded(program));
  }

  @ParameterizedTest
  @MethodSource("all")
  void isWhatLuaPrintsHere(String program) throws IOException, InterruptedException {
    Process lua;
    try {
      lua =
          new ProcessBuilder("lua5.4", program)
              .directory(FOLDER.toFile())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("lua5.4 is not installed");
      return;
    }
    byte[] output = lua.getInputStream().readAllBytes();
    assertThat(lua.waitFor()).isZero();
    assertThat(normal(output)).isEqualTo(recorded(program));
  }
}
