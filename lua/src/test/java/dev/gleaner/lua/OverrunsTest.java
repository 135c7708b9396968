package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every library function and dear instruction with the largest arguments that fit: the clocks are
 * looked at soon. The work that is charged between two looks decides. Nothing does more at once
 * than make a string as long as the limit, at 16 bytes an instruction, or collect once.
 */
class OverrunsTest {
  private static final int MEBIBYTES = 8;
  private static final long MOST_WORK = MEBIBYTES * (1L << 20) / 16 + 4096;

  /** Far above what is measured, as machines are busy: what is not charged at all takes seconds. */
  private static final long GUARD = 2_000_000_000;

  private static final int CALLS = Integer.getInteger("gleanertest.calls", 1);

  /** In the short tier one collector, and each twentieth function. */
  static List<String> collectors() {
    List<String> all = List.of("marksweep", "refcount", "hybrid", "semispace", "framestack");
    return Tier.exhaustive() ? all : all.subList(0, 1);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void clocksAreLookedAtSoon(String collector) {
    long seed = Long.getLong("gleaner.seed", 42);
    Overruns o = new Overruns(collector, MEBIBYTES);
    assertThat(o.functions()).contains("string.rep", "table.sort", "next", "debug.getinfo");
    List<String> names = Stream.concat(o.functions().stream(), o.instructions().stream()).toList();
    List<String> late = new ArrayList<>();
    for (int i = 0; i < names.size(); i += Tier.exhaustive() ? 1 : 20) {
      for (int n = 0; n < CALLS; n++) {
        Overruns.Figures f = o.measure(names.get(i), new Random(seed * 31 + i * 1000L + n));
        if (f.work() > MOST_WORK || f.gap() > GUARD) {
          late.add(f.toString());
        }
      }
    }
    assertThat(late).as("seed %d", seed).isEmpty();
  }
}
