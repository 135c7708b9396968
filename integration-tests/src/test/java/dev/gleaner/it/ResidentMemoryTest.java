package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A closed heap gives all of its memory back to the operating system. */
@EnabledOnOs(OS.LINUX) // reads /proc
@Tag("exhaustive")
class ResidentMemoryTest {
  private static final int RECORDS_OF_A_MEBIBYTE = (1 << 20) / 24 + 1;
  private static final long MARGIN = 32;

  /**
   * The JVM's own heap is there from the start, and the compiler whose memory comes and goes by
   * tens of MiB is left out, so that growth is ours.
   */
  private static final List<String> FLAGS =
      List.of(
          ForkedJvm.NATIVE_ACCESS,
          "-XX:+UseSerialGC",
          "-Xms256m",
          "-Xmx256m",
          "-XX:+AlwaysPreTouch",
          "-XX:TieredStopAtLevel=1");

  static Stream<Arguments> collectorsAndBackings() {
    return Installed.collectors().stream()
        .flatMap(c -> Stream.of("reserved", "grown").map(b -> Arguments.of(c, b)));
  }

  /** MiB after the first heaps, with all heaps open (-1 if they never are), with all closed. */
  private record Resident(long warm, long open, long closed) {}

  /** Runs a program, and answers the figures that it prints. */
  private static Map<String, Long> figures(Class<?> program, String... arguments) throws Exception {
    ForkedJvm.Result result = ForkedJvm.run(FLAGS, program, arguments);
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    Map<String, Long> figures = new HashMap<>();
    for (String line : result.out()) {
      String[] words = line.split(" ", -1);
      figures.put(words[0], Long.valueOf(words[1]));
    }
    return figures;
  }

  private static Resident run(String collector, String backing, int heaps, int records, String end)
      throws Exception {
    Map<String, Long> figures =
        figures(
            ManyHeaps.class,
            collector,
            "memory.backing = " + backing,
            String.valueOf(heaps),
            String.valueOf(records),
            end);
    return new Resident(
        figures.getOrDefault("warm", -1L),
        figures.getOrDefault("open", -1L),
        figures.getOrDefault("closed", Long.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void aThousandHeapsTakeNoMoreThanFifty(String collector, String backing) throws Exception {
    Resident resident = run(collector, backing, 1000, RECORDS_OF_A_MEBIBYTE, "close");
    assertThat(resident.closed).isLessThan(resident.warm + MARGIN);
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void openHeapsAreSeenByTheMeasure(String collector, String backing) throws Exception {
    Resident resident = run(collector, backing, 100, RECORDS_OF_A_MEBIBYTE, "keep");
    assertThat(resident.open).isGreaterThan(resident.warm + 95);
    expectBack(resident, backing);
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void tenThousandHeapsAreOpenAtOnce(String collector, String backing) throws Exception {
    Resident resident = run(collector, backing, 10_000, 100, "keep");
    // A few KiB a heap outside the JVM's own.
    assertThat(resident.open).isLessThan(resident.warm + 10_000 * 32 / 1024);
    expectBack(resident, backing);
  }

  /** The bounds of {@code docs/runtime.md}: so many limits, and 4 MiB. */
  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void oneBlockOnEachPageTakesNoMoreThanFourLimits(String collector, String backing)
      throws Exception {
    int limit = 16;
    Map<String, Long> percent =
        figures(
            Fragments.class,
            collector,
            "memory.backing = " + backing,
            String.valueOf(limit),
            "blocks");
    long most = 100L * ((backing.equals("reserved") ? 4 : 3) * limit + 4) / limit;
    assertThat(percent.get("committed")).isBetween(most - 100, most);
    // The rest is the C library's and the JVM's: about 11 MiB.
    assertThat(percent.get("resident")).isBetween(100L, most + 100);
  }

  // Grown memory goes back to the C library, which may keep it for the next heap.
  private static void expectBack(Resident resident, String backing) {
    long before = backing.equals("reserved") ? resident.warm : resident.open;
    assertThat(resident.closed).isLessThan(before + MARGIN);
  }
}
