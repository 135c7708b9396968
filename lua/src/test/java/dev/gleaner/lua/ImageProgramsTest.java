package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.random.RandomLua;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The programs of {@link ProgramsTest}, which yield between the statements of their main chunk. At
 * a yield the guest is saved and closed, and the program goes on in a guest that is opened from the
 * image, under the next collector. It must print what it prints without that.
 */
class ImageProgramsTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "programs");
  private static final List<String> COLLECTORS =
      List.of("marksweep", "refcount", "hybrid", "semispace", "framestack");
  private static final String YIELD = " coroutine.yield()";

  /** Programs of the short tier. */
  private static final List<String> FEW = List.of("closing.lua", "coroutines.lua", "gotos.lua");

  /** Hooks are not saved; semispace calls finalizers in an order of its own. */
  private static final List<String> OTHERS = List.of("hooks.lua", "order.lua");

  /** The most yields of a program. */
  private static final int MOST = 12;

  private static final int TRIES = 40;

  private static final int RANDOM = Tier.number("gleanertest.programs", 10, 300);

  private static int saved;
  private static int refused;

  private static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(f -> f.endsWith(".lua") && !OTHERS.contains(f))
          .sorted()
          .toList();
    }
  }

  /** A few programs, each with one collector to begin with. */
  static Stream<Arguments> few() {
    return FEW.stream().map(p -> Arguments.of(p, FEW.indexOf(p)));
  }

  /** All programs, each with two collectors to begin with; the others follow. */
  static Stream<Arguments> all() throws IOException {
    List<String> programs = programs();
    return IntStream.range(0, 2 * programs.size())
        .mapToObj(i -> Arguments.of(programs.get(i / 2), (i / 2 + i % 2 * 2) % COLLECTORS.size()));
  }

  /** Those that do not take too long if each allocation may collect. */
  static Stream<Arguments> tortured() {
    return Stream.of("coroutines.lua", "errors.lua").map(p -> Arguments.of(p, p.length() % 5));
  }

  private static Guest open(int collector, String more, OutputStream out) {
    return lua(collector, more).openTrusted(InputStream.nullInputStream(), out, out);
  }

  private static Lua lua(int collector, String more) {
    return Lua.of(
        ConfigFactory.parseString(
            "gleaner.collector = " + COLLECTORS.get(collector % COLLECTORS.size()) + more));
  }

  private static boolean isLua(String text) {
    try {
      Script _ = Lua.prepare(text);
      return true;
    } catch (LuaException e) {
      return false;
    }
  }

  /** Returns the program with yields where a statement of the main chunk ends with a line. */
  private static byte[] yielding(String text, Random random) {
    String[] lines = text.split("\n", -1);
    int yields = 0;
    for (int tries = 0; tries < TRIES && yields < MOST; tries++) {
      int at = random.nextInt(lines.length);
      String line = lines[at];
      lines[at] = line + YIELD;
      boolean ends =
          !line.contains("--")
              && isLua(String.join("\n", Arrays.copyOf(lines, at + 1)))
              && isLua(String.join("\n", lines));
      lines[at] = ends ? lines[at] : line;
      yields += ends ? 1 : 0;
    }
    return String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String run(
      String name, byte[] program, int collector, String more, boolean saves) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Guest guest = open(collector, more, out);
    int c = collector;
    try {
      guest.setArguments(name);
      var _ = guest.start(program, "@" + name);
      while (guest.isParked()) {
        if (saves) {
          Image image = image(guest);
          if (image != null) {
            c++;
            guest =
                lua(c, more)
                    .openTrusted(
                        image, new GuestBindings(), InputStream.nullInputStream(), out, out);
            assertThat(guest.heap().inspect().verify()).isEmpty();
          }
        }
        var _ = guest.wake();
      }
    } catch (LuaException e) {
      out.writeBytes(("failed: " + e.getMessage()).getBytes(StandardCharsets.UTF_8));
    } finally {
      guest.close();
    }
    return normal(out);
  }

  /** Returns null if the program has an open file. */
  private static @Nullable Image image(Guest guest) {
    try {
      saved++;
      return guest.park();
    } catch (ImageException e) {
      assertThat(e).hasMessageContaining("open file");
      refused++;
      return null;
    }
  }

  private static String normal(ByteArrayOutputStream output) {
    return output
        .toString(StandardCharsets.ISO_8859_1)
        .replaceAll("0x[0-9a-f]{6,}", "ADDRESS")
        .replace("builtin: ADDRESS", "ADDRESS");
  }

  private static void compare(String name, int collector, String more) throws IOException {
    String text = Files.readString(FOLDER.resolve(name), StandardCharsets.ISO_8859_1);
    byte[] program = yielding(text, new Random(collector));
    assertThat(run(name, program, collector, more, true))
        .isEqualTo(run(name, program, collector, more, false));
  }

  @ParameterizedTest
  @MethodSource("few")
  void goesOnAsIfItHadNotBeenSaved(String name, int collector) throws IOException {
    compare(name, collector, "");
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("exhaustive")
  void allGoOnAsIfTheyHadNotBeenSaved(String name, int collector) throws IOException {
    compare(name, collector, "");
  }

  @ParameterizedTest
  @MethodSource("tortured")
  @Tag("exhaustive")
  void goesOnUnderTorture(String name, int collector) throws IOException {
    compare(name, collector, ", gleaner.verify = after-collection, gleaner.torture.gc = 31");
  }

  /** {@code -Dgleanertest.programs=N} runs N of them, {@code -Dgleaner.seed=N} begins elsewhere. */
  @Test
  @Tag("seeds")
  void randomProgramsGoOnAsIfTheyHadNotBeenSaved() {
    long first = Long.getLong("gleaner.seed", 1);
    for (long seed = first; seed < first + RANDOM; seed++) {
      String name = "seed " + seed;
      byte[] program = yielding(RandomLua.program(seed), new Random(seed));
      int collector = (int) Math.floorMod(seed, (long) COLLECTORS.size());
      assertThat(run(name, program, collector, "", true))
          .as(name)
          .isEqualTo(run(name, program, collector, "", false));
    }
  }

  @AfterAll
  static void guestsWereSaved() {
    assertThat(saved - refused).as("images").isGreaterThan(4);
    assertThat(refused).isLessThan(saved / 10);
  }
}
