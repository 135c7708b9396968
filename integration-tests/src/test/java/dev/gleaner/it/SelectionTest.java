package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.settings.ConfigurationException;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The collector and the settings are chosen when the factory is made, and each heap has meters. */
class SelectionTest {
  static List<String> collectors() {
    return Installed.collectors();
  }

  /** Any two collectors, a collector beside itself included. */
  static Stream<Arguments> pairs() {
    return collectors().stream().flatMap(a -> collectors().stream().map(b -> Arguments.of(a, b)));
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void theConfigurationNamesTheCollector(String collector) {
    Config config = ConfigFactory.parseString("gleaner.collector = " + collector);
    HeapFactory factory = Gleaner.factory(config.withFallback(ConfigFactory.load()).resolve());
    assertThat(factory.collector()).isEqualTo(collector);
    try (Heap heap = factory.open("named")) {
      assertThat(heap.collector()).isEqualTo(collector);
      assertThat(heap.name()).isEqualTo("named");
      assertThat(heap.traits()).isEqualTo(factory.traits());
      assertThat(heap).hasToString("heap named (" + collector + ")");
    }
  }

  @Test
  void withoutAChoiceItIsTheDefaultOfReferenceConf() {
    assertThat(collectors()).contains(Gleaner.factory(ConfigFactory.load()).collector());
    assertThat(Gleaner.factory(ConfigFactory.empty()).collector())
        .isEqualTo(ConfigFactory.defaultReference().getString("gleaner.collector"));
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void anUnknownNameIsAnErrorThatListsWhatThereIs(String collector) {
    String wrong = collector.substring(0, collector.length() - 1) + "_";
    Config config =
        ConfigFactory.parseString(
            "gleaner {\n  collector = " + wrong + "\n  memory.mx = 3\n}",
            ConfigParseOptions.defaults().setOriginDescription("app.conf"));
    assertThatThrownBy(() -> Gleaner.factory(config))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("2 problems in the configuration")
        .hasMessageContaining(
            "app.conf: 2: gleaner.collector = \"" + wrong + "\": no collector of that name")
        .hasMessageContaining(String.join(", ", collectors()) + " (" + collector + "?)")
        .hasMessageContaining("app.conf: 3: gleaner.memory.mx");
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @SuppressWarnings("try") // one is closed before the others
  void heapsWithSettingsOfTheirOwnLiveSideBySide(String first, String second) {
    HeapFactory small = Installed.factory(first, "memory.max = 1MiB, finalizers = off");
    HeapFactory large =
        Installed.factory(second, "memory.max = 8MiB\ncollectors." + second + ".verify = off");
    List<String> finalized = new ArrayList<>();
    try (Heap a = small.open("a");
        Heap b = large.open("b");
        Heap c = small.open("c")) {
      for (Heap heap : List.of(a, b, c)) {
        Mutator t = heap.mutator();
        t.enter(1);
        t.newRecord(0, 0);
        t.setFinalizer(0, heap.name(), (thread, closing) -> finalized.add(heap.name()));
        t.setUndefined(0);
      }
      for (Heap heap : List.of(a, b, c)) {
        heap.collect();
      }
      assertThat(finalized).containsExactly("b");
      assertThat(a.statistics().maxBytes()).isEqualTo(1 << 20);
      assertThat(b.statistics().maxBytes()).isEqualTo(8 << 20);
      b.reserveExternal(7 << 20);
      assertThat(b.statistics().externalBytes()).isEqualTo(7 << 20);
      assertThat(a.statistics().externalBytes()).isZero();
      b.close();
      c.mutator().newString(0, "goes on");
      assertThat(c.mutator().getString(0)).isEqualTo("goes on");
    }
    assertThat(finalized).containsExactly("b");
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @SuppressWarnings("try") // one is closed before the others
  void metersOfTwoHeapsStandSideBySide(String first, String second) {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Heap a = Installed.factory(first, "").open("a");
        Heap b = Installed.factory(second, "").open("b");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(registry);
      ofB.bindTo(registry);
      use(a, 10);
      use(b, 1000);
      expectFigures(registry, a);
      expectFigures(registry, b);
      assertThat(value(registry, b, "gleaner.memory.used"))
          .isGreaterThan(value(registry, a, "gleaner.memory.used"));
      assertThat(shapes(registry, a)).isEqualTo(shapes(registry, b)).hasSizeGreaterThan(15);
      assertThat(registry.getMeters())
          .allSatisfy(m -> assertThat(m.getId().getName()).startsWith("gleaner."))
          .allSatisfy(m -> assertThat(m.getId().getDescription()).isNotBlank())
          .allSatisfy(m -> assertThat(m.getId().getBaseUnit()).isNotBlank());

      a.close();
      assertThat(value(registry, a, "gleaner.memory.used")).isZero();
      ofA.close();
      assertThat(shapes(registry, a)).isEmpty();
      expectFigures(registry, b);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  private static void use(Heap heap, int records) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.newRecord(0, records);
    for (int i = 0; i < records; i++) {
      t.newRecord(1, 3);
      t.store(0, i, 1);
      t.newString(1, "text " + i);
    }
    t.setFinalizer(0, "kept", (thread, closing) -> {});
    t.newObject(1);
    t.setFinalizer(1, "fails", (thread, closing) -> thread.getInt(0));
    t.newWeak(1);
    t.setUndefined(1);
    heap.reserveExternal(records);
    heap.collect();
    heap.collect();
  }

  private static void expectFigures(MeterRegistry registry, Heap heap) {
    var s = heap.statistics();
    assertThat(value(registry, heap, "gleaner.memory.used")).isEqualTo(s.usedBytes());
    assertThat(value(registry, heap, "gleaner.memory.peak")).isEqualTo(s.peakBytes());
    assertThat(value(registry, heap, "gleaner.memory.max")).isEqualTo(s.maxBytes());
    assertThat(value(registry, heap, "gleaner.memory.committed")).isEqualTo(s.committedBytes());
    assertThat(value(registry, heap, "gleaner.memory.external")).isEqualTo(s.externalBytes());
    assertThat(value(registry, heap, "gleaner.memory.live.after.gc")).isEqualTo(s.liveAfterBytes());
    assertThat(value(registry, heap, "gleaner.allocated.bytes")).isEqualTo(s.allocatedBytes());
    assertThat(value(registry, heap, "gleaner.allocated.elements"))
        .isEqualTo(s.allocatedElements());
    assertThat(value(registry, heap, "gleaner.strings")).isEqualTo(s.strings());
    assertThat(value(registry, heap, "gleaner.stack.depth")).isEqualTo(s.frameDepth());
    assertThat(value(registry, heap, "gleaner.live", "kind", "record"))
        .isEqualTo(s.live(Kind.RECORD))
        .isGreaterThan(10);
    assertThat(value(registry, heap, "gleaner.gc.reclaimed.bytes")).isEqualTo(s.reclaimedBytes());
    assertThat(value(registry, heap, "gleaner.gc.reclaimed.elements"))
        .isEqualTo(s.reclaimedElements())
        .isPositive();
    assertThat(value(registry, heap, "gleaner.finalizers", "outcome", "run")).isEqualTo(1);
    assertThat(value(registry, heap, "gleaner.finalizers", "outcome", "failed")).isEqualTo(1);
    assertThat(value(registry, heap, "gleaner.weak.cleared"))
        .isEqualTo(s.weakCleared())
        .isEqualTo(1);
    assertThat(value(registry, heap, "gleaner.collections", "cause", "explicit"))
        .isEqualTo(s.explicitCollections())
        .isEqualTo(2);
    assertThat(
            registry
                .get("gleaner.gc.pause")
                .tags("heap", heap.name(), "cause", "explicit")
                .timer()
                .count())
        .isEqualTo(2);
  }

  /** The first value of the meter of a heap, with more tags. */
  private static long value(MeterRegistry registry, Heap heap, String name, String... tags) {
    Meter meter =
        registry
            .get(name)
            .tags("heap", heap.name(), "collector", heap.collector())
            .tags(tags)
            .meter();
    return (long) meter.measure().iterator().next().getValue();
  }

  /** Names and tags of a heap's meters, without what tells heaps apart and what can differ. */
  private static Set<String> shapes(MeterRegistry registry, Heap heap) {
    Set<String> shapes = new HashSet<>();
    for (Meter meter : registry.find("gleaner.memory.used").meters()) {
      assertThat(meter.getId().getTag("heap")).isNotNull();
    }
    for (Meter meter : registry.getMeters()) {
      if (heap.name().equals(meter.getId().getTag("heap"))
          && heap.collector().equals(meter.getId().getTag("collector"))) {
        List<String> keys = meter.getId().getTags().stream().map(Tag::getKey).toList();
        shapes.add(meter.getId().getName() + " " + keys);
      }
    }
    // A figure that a collector does not have is absent.
    shapes.removeIf(s ->
        s.startsWith("gleaner.incremental.steps")
            || s.startsWith("gleaner.gc.refzero")
            || s.startsWith("gleaner.gc.moved")
            || s.startsWith("gleaner.leaked"));
    return shapes;
  }
}
