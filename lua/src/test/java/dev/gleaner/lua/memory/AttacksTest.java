package dev.gleaner.lua.memory;

import static org.assertj.core.api.Assertions.assertThat;

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

  private static List<String[]> lines(String options, String... arguments) {
    return JavaHeap.lines(options, Attacks.class, arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void guestsKeepAQuarterOfTheirLimit(String collector) {
    List<String> beyond = new ArrayList<>();
    List<String[]> lines = lines("-Xmx256m", Long.toString(LIMIT), "", collector);
    assertThat(lines).hasSameSizeAs(Attacks.all());
    for (String[] line : lines) {
      if (Long.parseLong(line[0]) > LIMIT / 4 + SUM || Long.parseLong(line[2]) > SUM) {
        beyond.add(String.join(" | ", line));
      }
    }
    assertThat(beyond).isEmpty();
  }

  @Test
  void tenAtOnceAreServedByTenLimits() {
    List<String[]> lines = lines("-Xmx80m", Long.toString(8 << 20), "ten", "marksweep");
    String all = Integer.toString(Attacks.all().size());
    assertThat(lines).allMatch(line -> line[1].equals(all)).hasSize(1);
  }

  /** All that a guest makes reachable at any time while it compiles. */
  @Test
  void peaksAreTheLimitAndASmallSum() {
    List<String[]> lines = lines("-Xmx256m", Long.toString(LIMIT), "peaks", "marksweep");
    assertThat(lines).isNotEmpty().allMatch(line -> Long.parseLong(line[0]) <= LIMIT + (256 << 10));
  }

  /** A guest whose limit is 16 MiB needs no more of a JVM that has 8 MiB for itself. */
  @Test
  void compilingIsServedByTheLimit() {
    List<String[]> lines = lines("-Xmx24m -Xmn1m", Long.toString(16 << 20), "sources", "marksweep");
    assertThat(lines).isNotEmpty().allMatch(line -> !line[0].isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"refcount", "semispace"})
  void aThousandLeaveNoMoreThanTheyFound(String collector) {
    List<String[]> lines = lines("-Xmx64m", Long.toString(256 << 10), "thousand", collector);
    assertThat(lines).hasSize(1).allMatch(line -> Long.parseLong(line[0]) <= SUM);
  }
}
