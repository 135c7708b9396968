package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.it.DumpedHeap;
import dev.gleaner.testing.Tier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Snapshots in the midst of random programs show what the model says that there is. */
class SnapshotProgramTest {
  private static final int PROGRAMS = Tier.number("gleaner.test.programs", 1, 3);
  private static final int SNAPSHOT_EVERY = 20;

  @TempDir private Path folder;
  private int operations;
  private int met;

  private static final List<Variant> VARIANTS =
      List.of(
          Variant.PLAIN,
          Variant.INCREMENTAL,
          Variant.TORTURE_SOME,
          Variant.GROWN,
          Variant.LITTLE_STACK,
          Variant.OWN_FUNCTIONS,
          Variant.TINY,
          Variant.SMALL_INCREMENTAL);

  /** In the short tier each variant has one or two collectors, in turn. */
  static List<Arguments> programs() {
    List<String> collectors = List.copyOf(CollectorRegistry.discover(List.of()).names());
    List<Arguments> all = new ArrayList<>();
    for (int c = 0; c < collectors.size(); c++) {
      for (int v = 0; v < VARIANTS.size(); v++) {
        if (Tier.exhaustive() || (c + v) % 3 == 0) {
          all.add(Arguments.of(collectors.get(c), VARIANTS.get(v).name()));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("seeds")
  void showsWhatTheModelHas(String collector, String name) {
    Heaps heaps = new Heaps(collector, ConfigFactory.empty(), List.of());
    for (int i = 0; i < PROGRAMS; i++) {
      Plan plan =
          Plan.brief(Variant.valueOf(name), Mode.FULL, Dice.mix(Dice.mix(Dice.seed(), i), 7));
      RandomProgram.Outcome outcome =
          RandomProgram.run(heaps, plan, Steps.all(), false, this::observe);
      if (outcome.failure() != null) {
        throw new AssertionError(
            "%s, program with seed %d".formatted(plan, plan.seed()), outcome.failure());
      }
    }
    assertThat(met).isPositive();
  }

  private void observe(Twin twin) {
    if (++operations % SNAPSHOT_EVERY == 0) {
      assertThat(twin.heap.inspect().verify()).isEmpty(); // ends a sweep that is under way
      long used = twin.heap.statistics().usedBytes();
      long collections = twin.heap.statistics().collections();
      DumpedHeap dump = DumpedHeap.of(twin.heap, folder.resolve("snapshot.hprof"));
      assertThat(twin.heap.statistics().usedBytes()).isEqualTo(used);
      assertThat(twin.heap.statistics().collections()).isEqualTo(collections);
      SnapshotComparison comparison = new SnapshotComparison(dump, twin.shadow);
      comparison.run(twin.heap.statistics());
      met += comparison.met();
    }
  }
}
