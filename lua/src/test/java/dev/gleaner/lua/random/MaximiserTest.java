package dev.gleaner.lua.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.memory.JavaHeap;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a search for the worst programs finds is within the bounds that the docs state.
 *
 * <p>{@code -Dgleanertest.climbs=N} climbs N times, {@code -Dgleaner.seed=N} begins elsewhere.
 */
@Tag("exhaustive")
class MaximiserTest {
  private static final int CLIMBS = Integer.getInteger("gleanertest.climbs", 4);
  private static final int MOST_SECONDS = 240;
  private static final long LIMIT = 1 << 20;

  /** A guard far beyond what a slow machine needs, as time decides no test. */
  private static final long GUARD_MICROS = 2_000_000;

  private static long most(Maximiser.Cost cost, String collector) {
    return switch (cost) {
      case LIVE -> collector.equals("semispace") ? LIMIT : LIMIT / 4 + (64 << 10);
      case PEAK -> LIMIT + (256 << 10);
      case LEFT -> 64 << 10;
      case LOG -> 64 << 10;
      case OVERRUN, CLOSE -> GUARD_MICROS;
    };
  }

  @Test
  void theWorstIsWithinTheBounds() {
    String seed = Long.toString(Long.getLong("gleaner.seed", 1));
    List<String[]> lines =
        JavaHeap.lines(
            "-Xmx256m",
            Maximiser.class,
            seed,
            Integer.toString(CLIMBS),
            Integer.toString(MOST_SECONDS));
    List<String> beyond = new ArrayList<>();
    for (String[] line : lines) {
      if (line[0].equals("FAULT")
          || Long.parseLong(line[1]) > most(Maximiser.Cost.valueOf(line[0]), line[2])) {
        beyond.add(String.join(" | ", line));
      }
    }
    assertThat(beyond).isEmpty();
    assertThat(lines).isNotEmpty();
  }
}
