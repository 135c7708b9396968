package dev.gleaner.lua.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What hostile guests keep on Java's heap is a quarter of their limit and a small sum. */
@Tag("exhaustive")
class AttacksTest {
  private static final long LIMIT = 1 << 20;
  private static final long SUM = 64 << 10;

  /** Where elements move, those that are keys or have a Java object have numbers at the side. */
  private static final List<String> KEYS =
      List.of(
          "objects as keys",
          "objects as keys, named in turns",
          "a large weak table by keys",
          "a chain of ephemerons",
          "weak entries that point to each other");

  /** So are those of coroutines, and of tables that the host had as arguments or results. */
  private static final List<String> NUMBERED =
      List.of("trusted: hooks of coroutines", "host: tables", "host: results", "host: errors");

  /** Runs the program in a JVM that compacts all of its heap in each collection. */
  private static List<String[]> lines(String most, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:MarkSweepAlwaysCompactCount=1",
                "-XX:TieredStopAtLevel=1",
                "-Xmx" + most,
                "-cp",
                System.getProperty("java.class.path"),
                Attacks.class.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed.lines().map(line -> line.split("\t", -1)).toList();
  }

  private static long most(String collector, String attack) {
    if (collector.equals("semispace")) {
      if (KEYS.contains(attack)) {
        return LIMIT * 13 / 16;
      }
      if (NUMBERED.contains(attack)) {
        return LIMIT / 2;
      }
    }
    return LIMIT / 4;
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void guestsKeepAQuarterOfTheirLimit(String collector) throws Exception {
    List<String> beyond = new ArrayList<>();
    List<String[]> lines = lines("256m", Long.toString(LIMIT), "", collector);
    assertThat(lines).hasSameSizeAs(Attacks.all());
    for (String[] line : lines) {
      long most = most(collector, line[3]) + SUM;
      if (Long.parseLong(line[0]) > most || Long.parseLong(line[2]) > SUM) {
        beyond.add(String.join(" | ", line));
      }
    }
    assertThat(beyond).isEmpty();
  }

  @Test
  void tenAtOnceAreServedByTenLimits() throws Exception {
    List<String[]> lines = lines("80m", Long.toString(8 << 20), "ten", "marksweep", "semispace");
    String all = Integer.toString(Attacks.all().size());
    assertThat(lines).allMatch(line -> line[1].equals(all)).hasSize(2);
  }
}
