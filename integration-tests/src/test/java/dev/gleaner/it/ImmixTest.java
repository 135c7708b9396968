package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mark-region collectors, built by somebody else from a folder of sources and no more. */
class ImmixTest {
  private static final String FOLDER = "immix";

  private static final List<String> COLLECTORS = List.of("immix", "sticky");

  /** The kit provokes errors that heaps log. */
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner.heap");

  /** Those that find most in a short time. */
  private static final Pattern FEW = Pattern.compile("^(oracle|weak tables|minor) ");

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PluginPath plugins;

  @BeforeAll
  static void build() throws IOException {
    plugins = PluginJar.thirdParty(FOLDER, folder);
  }

  @AfterAll
  static void close() {
    if (plugins != null) { // the jars may not be packed
      plugins.close();
    }
  }

  private static Heap open(String collector, String settings) {
    return PluginJar.open(plugins, collector, settings);
  }

  @ParameterizedTest
  @ValueSource(strings = {"immix", "sticky"})
  @Tag("exhaustive")
  void conforms(String collector) throws Exception {
    PluginJar.expectToConform(folder, collector);
  }

  @TestFactory
  Stream<DynamicTest> keepsTheRulesThatFindMost() {
    return COLLECTORS.stream()
        .flatMap(collector ->
            new Conformance(collector, ConfigFactory.empty(), List.of(plugins.loader()))
                .withPrograms(1).rules().stream()
                    .filter(rule -> FEW.matcher(rule.name()).find())
                    .map(rule -> dynamicTest(collector + ": " + rule.name(), () -> check(rule))));
  }

  private static void check(Rule rule) {
    HEAPS.setLevel(Level.OFF);
    try {
      Verdict verdict = rule.check().get();
      assumeFalse(verdict.status() == Status.SKIPPED, verdict.message());
      assertThat(verdict.status()).as("%s", verdict.message()).isEqualTo(Status.PASSED);
    } finally {
      HEAPS.setLevel(null);
    }
  }

  private static void expect(int expected, int found) {
    if (found != expected) {
      throw new AssertionError(found + ", expected " + expected);
    }
  }

  /** Phases of other sizes, of each of which one element in a kilobyte stays. */
  @ParameterizedTest
  @ValueSource(strings = {"immix", "sticky"})
  void fillsAFragmentedHeap(String collector) {
    long limit = 8 << 20;
    try (Heap heap = open(collector, "memory.max = 8MiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      int kept = 0;
      boolean full = false;
      for (int phase = 0; !full; phase++) {
        int slots = 1 + phase * 7 % 31;
        int apart = Math.max(1, 1024 / ((slots + 1) * 8));
        try {
          for (int i = 0; i < 60_000; i++) {
            t.newRecord(1, slots);
            t.storeInt(1, slots - 1, kept);
            if (slots > 1 && i % apart == 0) {
              t.store(1, 0, 0);
              t.copy(0, 1);
              kept++;
            }
          }
        } catch (HeapExhaustedException e) {
          full = true;
        }
      }
      t.setNull(1);
      heap.collect();
      assertThat(heap.statistics().usedBytes()).isGreaterThan(limit * 95 / 100);
      assertThat(heap.statistics().movedElements()).isPositive();
      for (int i = kept - 1; i >= 0; i--) {
        expect(i, t.loadInt(0, t.slotCount(0) - 1));
        t.load(0, 0, 0);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  /** Nothing moves as long as there is room. */
  @Test
  void movesAgainstGapsAlone() {
    try (Heap heap = open("immix", "memory.max = 64MiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      int n = 10_000;
      t.newRecord(0, n);
      for (int i = 0; i < n; i++) {
        t.newRecord(1, 3);
        t.storeInt(1, 0, i);
        t.store(0, i, 1);
      }
      t.setNull(1);
      heap.collect();
      assertThat(heap.statistics().movedElements()).isZero();
      for (int i = 0; i < n; i++) {
        if (i % 64 != 3) {
          t.storeNull(0, i);
        }
      }
      long before = heap.statistics().committedBytes();
      heap.collect();
      assertThat(heap.statistics().movedElements()).isPositive();
      assertThat(heap.statistics().committedBytes()).isLessThanOrEqualTo(before);
      for (int i = 3; i < n; i += 64) {
        t.load(1, 0, i);
        assertThat(t.loadInt(1, 0)).isEqualTo(i);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  /** Minor collections come by the nursery, full ones because the collector asks for them. */
  @Test
  void stickyMarksTellTheYoungFromTheOld() {
    List<CollectionEvent> events = new ArrayList<>();
    try (Heap heap = open("sticky", "memory.max = 64MiB")) {
      heap.addListener(
          new HeapListener() {
            @Override
            public void collectionFinished(CollectionEvent event) {
              events.add(event);
            }
          });
      Mutator t = heap.mutator();
      t.enter(2);
      int n = 50_000;
      t.newRecord(0, n);
      for (int i = 0; i < 100 * n; i++) {
        t.newRecord(1, 3);
        t.storeInt(1, 0, i);
        if (i % 10 == 0) {
          t.store(0, i / 10 % n, 1);
        }
      }
      assertThat(events.stream().filter(e -> e.mode() == Mode.MINOR))
          .hasSizeGreaterThan(20)
          .allSatisfy(e -> {
            assertThat(e.cause()).isEqualTo(Cause.NURSERY);
            assertThat(e.reclaimedElements()).isPositive();
          });
      assertThat(events.stream().filter(e -> e.mode() == Mode.FULL))
          .isNotEmpty()
          .allSatisfy(e -> assertThat(e.cause()).isEqualTo(Cause.COLLECTOR));
      for (int i = 0; i < n; i++) {
        t.load(1, 0, i);
        expect(10 * (9 * n + i), t.loadInt(1, 0));
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }
}
