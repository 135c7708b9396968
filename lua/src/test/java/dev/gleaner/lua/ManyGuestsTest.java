package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The memory of the process is flat over many guests, a third of which reach a limit. {@code
 * -Dgleanertest.guests=N} opens N of them one after the other under each collector.
 */
@EnabledOnOs(OS.LINUX) // reads /proc
class ManyGuestsTest {
  private static final int GUESTS = Integer.getInteger("gleanertest.guests", 1000);
  private static final int AT_ONCE = 100;
  private static final int MARGIN_KIB = 16 << 10;

  /** Runs it in a JVM whose own heap is there from the start, so that growth is ours. */
  private static Map<String, Long> figures(String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xms128m",
                "-Xmx128m",
                "-XX:+AlwaysPreTouch",
                "-XX:ReservedCodeCacheSize=32m",
                "-cp",
                System.getProperty("java.class.path"),
                ManyGuests.class.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    Map<String, Long> figures = new HashMap<>();
    for (String line : printed.split("\n", -1)) {
      String[] words = line.split(" ", -1);
      if (words.length == 2) {
        figures.put(words[0], Long.valueOf(words[1]));
      }
    }
    return figures;
  }

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  @Tag("exhaustive")
  void theMemoryOfTheProcessIsFlat(String collector) throws Exception {
    Map<String, Long> figures =
        figures(collector, Integer.toString(GUESTS), Integer.toString(AT_ONCE));
    assertThat(figures.get("limits")).isBetween(GUESTS * 30L / 100, GUESTS * 37L / 100);
    long warm = figures.getOrDefault("warm", 0L);
    assertThat(figures.get("end")).isLessThan(warm + MARGIN_KIB);
  }
}
