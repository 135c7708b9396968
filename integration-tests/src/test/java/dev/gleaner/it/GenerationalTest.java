package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A generational collector, built by somebody else from a folder of sources and no more. */
class GenerationalTest {
  private static final String NAME = "generational";

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PluginPath plugins;

  @BeforeAll
  static void build() throws IOException {
    plugins = PluginJar.thirdParty(NAME, folder);
  }

  @AfterAll
  static void close() {
    if (plugins != null) { // the jars may not be packed
      plugins.close();
    }
  }

  private static Heap open(String settings) {
    return PluginJar.open(plugins, NAME, settings);
  }

  @Test
  @Tag("exhaustive")
  void conforms() throws Exception {
    PluginJar.expectToConform(folder, NAME);
  }

  @Test
  void collectsTheYoungAlone() {
    List<CollectionEvent> events = new ArrayList<>();
    int n = 100_000;
    try (Heap heap = open("memory.max = 64MiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, n);
      for (int i = 0; i < n; i++) {
        t.newRecord(1, 1);
        t.storeInt(1, 0, i);
        t.store(0, i, 1);
      }
      heap.collect();
      heap.addListener(
          new HeapListener() {
            @Override
            public void collectionFinished(CollectionEvent event) {
              events.add(event);
            }
          });
      for (int i = 0; i < 20 * n; i++) {
        t.newRecord(1, 1);
        t.storeInt(1, 0, i % n);
        t.store(0, i % n, 1);
        t.newRecord(1, 3);
      }
      assertThat(events).hasSizeGreaterThan(20);
      assertThat(events.stream().filter(e -> e.mode() == Mode.MINOR))
          .hasSizeGreaterThan(20)
          .allSatisfy(e -> {
            assertThat(e.cause()).isEqualTo(Cause.NURSERY);
            assertThat(e.pauseNanos()).isPositive();
            assertThat(e.reclaimedElements()).isPositive();
          });
      for (int i = 0; i < n; i++) {
        t.load(1, 0, i);
        assertThat(t.loadInt(1, 0)).isEqualTo(i);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @Test
  void aScenarioAsksForMinorCollections() {
    Config config = ConfigFactory.parseString("gleaner.collector = " + NAME);
    ScenarioResult result =
        new ScenarioRunner(config, List.of(plugins.loader()))
            .run(
                Scenario.parse(
                    "minor.heap",
                    """
                    requires minor
                    config { voluntary.enabled = false }
                    record kept 1
                    collect
                    expect collections minor == 0
                    record young 1
                    set kept.0 young
                    drop young
                    record dead 1
                    drop dead
                    collect minor
                    expect collections minor == 1
                    expect collections == 2
                    expect alive 2
                    expect intact
                    """));
    assertThat(result.message()).isEmpty();
    assertThat(result.status()).isEqualTo(Status.PASSED);
  }

  /** Promotion has nowhere to go but where the dead are swept first. */
  @Test
  void fillsItsLimitExactly() {
    try (Heap heap = open("memory.max = 1MiB, collectors.generational.nursery = 64KiB")) {
      Mutator t = heap.mutator();
      t.enter(3);
      for (int round = 0; round < 5; round++) {
        t.setNull(0);
        int n = 0;
        try {
          while (true) {
            t.newRecord(1, n % 7 + 1);
            t.store(1, 0, 0);
            t.copy(0, 1);
            n++;
          }
        } catch (HeapExhaustedException e) {
          assertThat(heap.inspect().verify()).isEmpty();
        }
        assertThat(heap.statistics().usedBytes()).isGreaterThan((1 << 20) - 10_000);
        int found = 0;
        for (; t.isReference(0); found++) {
          t.load(0, 0, 0);
        }
        assertThat(found).isEqualTo(n);
      }
    }
  }
}
