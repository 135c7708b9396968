package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.metrics.MeteredHeapFactory;
import dev.gleaner.space.PauseClock;
import dev.gleaner.spi.Capability;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reference of meters is what heaps of all collectors register. */
class MetersPageTest {
  private static final String RENEW = "gleaner.test.renew";
  private static final String HEAD =
      "| meter | type | unit | tags | collectors | |\n|---|---|---|---|---|---|\n";

  private static final Set<String> COMMON = Set.of("heap", "collector", "factory");

  private record Seen(Meter.Id id, Set<String> tags, Set<String> collectors) {}

  private final TreeMap<String, Seen> meters = new TreeMap<>();

  private void see(MeterRegistry registry, String collector) {
    for (Meter meter : registry.getMeters()) {
      Meter.Id id = meter.getId();
      Seen seen =
          meters.computeIfAbsent(id.getName(), _ -> new Seen(id, new TreeSet<>(), new TreeSet<>()));
      id.getTags().stream()
          .map(io.micrometer.core.instrument.Tag::getKey)
          .filter(key -> !COMMON.contains(key))
          .forEach(seen.tags::add);
      seen.collectors.add(collector);
    }
  }

  /** A program that makes every event which registers a meter. */
  private static void run(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.setNull(0);
    for (int i = 0; i < 4 * PauseClock.SMALL; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    t.setNull(1);
    t.setNull(0);
    heap.collect();
    if (heap.traits().has(Capability.INCREMENTAL)) {
      boolean _ = heap.step(1000);
    }
  }

  private String table() {
    List<String> all = Installed.collectors();
    for (String collector : all) {
      HeapFactory factory = Installed.factory(collector, "");
      MeterRegistry registry = new SimpleMeterRegistry();
      try (Heap heap = factory.open();
          HeapMetrics metrics = new HeapMetrics(heap)) {
        metrics.bindTo(registry);
        run(heap);
        see(registry, collector);
      }
      try (MeteredHeapFactory metered = new MeteredHeapFactory(factory, List.of())) {
        metered.bindTo(registry);
        see(registry, collector);
      }
    }
    StringBuilder table = new StringBuilder(HEAD);
    for (Seen seen : meters.values()) {
      String unit = seen.id.getBaseUnit() == null ? "seconds" : seen.id.getBaseUnit();
      String tags = seen.tags.stream().map(k -> "`" + k + "`").collect(Collectors.joining(", "));
      String where =
          seen.collectors.size() == all.size() ? "all" : String.join(", ", seen.collectors);
      table.append(
          "| `%s` | %s | %s | %s | %s | %s |%n"
              .formatted(
                  seen.id.getName(),
                  seen.id.getType().name().toLowerCase(Locale.ROOT),
                  unit,
                  tags,
                  where,
                  seen.id.getDescription()));
    }
    return table.toString();
  }

  @Test
  @Tag("M2")
  void thePageHasTheMetersOfTheCode() throws IOException {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    Path page = module.resolve("../docs/meters.md");
    String text = Files.readString(page);
    int from = text.indexOf(HEAD);
    assertThat(from).as("the head of the table").isPositive();
    int blank = text.indexOf("\n\n", from);
    int to = blank < 0 ? text.length() : blank + 1;
    String table = table();
    if (Boolean.getBoolean(RENEW)) {
      Files.writeString(page, text.substring(0, from) + table + text.substring(to));
    }
    assertThat(text.substring(from, to))
        .as("docs/meters.md is renewed by this test with -D%s=true", RENEW)
        .isEqualTo(table);
  }
}
