package dev.gleaner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.testing.TestProviders;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One set of meters for all heaps of a factory. */
class MeteredHeapFactoryTest {

  @TempDir Path folder;
  private final MeterRegistry registry = new SimpleMeterRegistry();

  /** A second passes whenever it is asked. */
  private final AtomicLong clock = new AtomicLong();

  private HeapFactory factory() throws IOException {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner { collector = plain, memory.max = 1MiB }"),
        List.of(TestProviders.loader(folder)));
  }

  private MeteredHeapFactory metered() throws IOException {
    return new MeteredHeapFactory(
        factory(), Tags.of("app", "test"), () -> clock.addAndGet(1_000_000_000));
  }

  private long gauge(String name, String... tags) {
    return (long) registry.get(name).tags(tags).gauge().value();
  }

  private long counter(String name, String... tags) {
    return (long) registry.get(name).tags(tags).functionCounter().count();
  }

  private static void allocate(Heap heap, int records) {
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < records; i++) {
      t.newRecord(0, 2);
    }
    t.leave();
  }

  @Test
  void showsTheSumOfItsHeaps() throws IOException {
    try (MeteredHeapFactory heaps = metered();
        Heap a = heaps.open();
        Heap b = heaps.open("b")) {
      heaps.bindTo(registry);
      allocate(a, 100);
      allocate(b, 30);
      a.collect();
      b.collect();
      assertThat(gauge("gleaner.heaps")).isEqualTo(2);
      assertThat(gauge("gleaner.live", "kind", "record")).isEqualTo(130);
      assertThat(gauge("gleaner.memory.max")).isEqualTo(2 << 20);
      assertThat(gauge("gleaner.memory.used"))
          .isEqualTo(a.statistics().usedBytes() + b.statistics().usedBytes());
      assertThat(gauge("gleaner.memory.peak"))
          .isEqualTo(Math.max(a.statistics().peakBytes(), b.statistics().peakBytes()));
      assertThat(counter("gleaner.collections", "cause", "explicit")).isEqualTo(2);
      assertThat(registry.get("gleaner.gc.pause").tag("action", "full").timer().count())
          .isEqualTo(2);
      assertThat(registry.getMeters())
          .allMatch(m -> "plain".equals(m.getId().getTag("collector")))
          .allMatch(m -> "test".equals(m.getId().getTag("app")))
          .allMatch(m -> m.getId().getTag("heap") == null);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void countersGoOnWhenHeapsAreClosed() throws IOException {
    try (MeteredHeapFactory heaps = metered()) {
      heaps.bindTo(registry);
      long allocated = 0;
      for (int i = 0; i < 5; i++) {
        try (Heap heap = heaps.open()) {
          allocate(heap, 10);
          heap.collect();
          allocated += heap.statistics().allocatedElements();
          assertThat(counter("gleaner.allocated.elements")).isEqualTo(allocated);
        }
        assertThat(counter("gleaner.allocated.elements")).isEqualTo(allocated);
        assertThat(counter("gleaner.gc.reclaimed.elements")).isEqualTo(allocated);
        assertThat(counter("gleaner.heaps.opened")).isEqualTo(i + 1);
        assertThat(gauge("gleaner.heaps")).isZero();
        assertThat(gauge("gleaner.memory.used")).isZero();
        assertThat(gauge("gleaner.memory.max")).isZero();
        assertThat(gauge("gleaner.live", "kind", "record")).isZero();
        assertThat(gauge("gleaner.memory.peak")).isPositive();
      }
      assertThat(counter("gleaner.collections", "cause", "explicit")).isEqualTo(5);
    }
  }

  @Test
  void countersKeepWhatAHeapCountedThatIsDropped() throws Exception {
    try (MeteredHeapFactory heaps = metered()) {
      heaps.bindTo(registry);
      allocate(heaps.open(), 10);
      long allocated = counter("gleaner.allocated.elements");
      for (int i = 0; i < 100 && gauge("gleaner.heaps") > 0; i++) {
        System.gc();
        Thread.sleep(10);
      }
      assertThat(gauge("gleaner.heaps")).isZero();
      assertThat(gauge("gleaner.memory.used")).isZero();
      allocate(heaps.open(), 1);
      assertThat(counter("gleaner.allocated.elements")).isGreaterThan(allocated);
    }
  }

  /** As where the fields are read that the heap's thread changes meanwhile. */
  @Test
  void countersNeverSayLessThanTheySaid() throws IOException {
    List<HeapStatistics> moments = new ArrayList<>();
    try (Heap heap = factory().open()) {
      for (int i = 0; i < 3; i++) {
        moments.add(heap.snapshot());
        allocate(heap, 10);
      }
      Deque<HeapStatistics> read = new ArrayDeque<>();
      HeapFigures<Deque<HeapStatistics>> figures =
          new HeapFigures<>(read, Deque::remove, heap.traits(), false);
      figures.register(registry, Tags.empty(), each -> assertThat(each.get()).isNotNull());
      int[][] readings = {{1, 1, 1}, {0, 0, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 2}, {0, 1, 2}};
      for (int[] each : readings) {
        read.add(moments.get(each[0]));
        read.add(moments.get(each[1]));
        assertThat(counter("gleaner.allocated.elements"))
            .isEqualTo(moments.get(each[2]).allocatedElements());
      }
    }
  }

  @Test
  void hasAsManySeriesForAThousandHeapsAsForOne() throws IOException {
    List<Heap> open = new ArrayList<>();
    try (MeteredHeapFactory heaps = metered()) {
      heaps.bindTo(registry);
      open.add(heaps.open());
      open.getFirst().collect();
      int series = registry.getMeters().size();
      for (int i = 1; i < 1000; i++) {
        open.add(heaps.open());
        open.getLast().collect();
      }
      assertThat(registry.getMeters()).hasSize(series);
      assertThat(gauge("gleaner.heaps")).isEqualTo(1000);
    } finally {
      open.forEach(Heap::close);
    }
  }

  @Test
  void heapsMayBelongToSeveralThreads() throws Exception {
    try (MeteredHeapFactory heaps = metered();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      heaps.bindTo(registry);
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        done.add(
            threads.submit(() -> {
              for (int k = 0; k < 50; k++) {
                try (Heap heap = heaps.open()) {
                  allocate(heap, 20);
                  heap.collect();
                }
              }
            }));
      }
      while (done.stream().anyMatch(f -> !f.isDone())) {
        registry.getMeters().forEach(m -> m.measure().forEach(v -> v.getValue()));
      }
      for (Future<?> f : done) {
        f.get();
      }
      assertThat(counter("gleaner.heaps.opened")).isEqualTo(200);
      assertThat(counter("gleaner.collections", "cause", "explicit")).isEqualTo(200);
      assertThat(gauge("gleaner.heaps")).isZero();
    }
  }

  @Test
  void twoFactoriesNeedTagsThatTellThemApart() throws IOException {
    try (MeteredHeapFactory first = metered();
        MeteredHeapFactory second = metered();
        MeteredHeapFactory third = new MeteredHeapFactory(factory(), Tags.of("app", "else"));
        Heap heap = first.open();
        HeapMetrics own = new HeapMetrics(heap, Tags.of("app", "test"))) {
      first.bindTo(registry);
      first.bindTo(registry);
      own.bindTo(registry); // told apart by its tag heap
      third.bindTo(registry);
      assertThatThrownBy(() -> second.bindTo(registry))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("heaps under plain");
      assertThat(registry.getMeters().stream().map(Meter::getId)).doesNotHaveDuplicates();
    }
  }
}
