package dev.gleaner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.testing.TestProviders;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The meters: names, units, tags, figures, and that nothing stays behind. */
class HeapMetricsTest {

  @TempDir Path folder;
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private Heap open(String collector, String name) throws IOException {
    return Gleaner.factory(
            ConfigFactory.parseString("gleaner.collector = " + collector),
            List.of(TestProviders.loader(folder)))
        .open(name);
  }

  private static Set<String> names(MeterRegistry registry) {
    return registry.getMeters().stream()
        .map(m -> m.getId().getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private long gauge(String name, String... tags) {
    return (long) registry.get(name).tags(tags).gauge().value();
  }

  private long counter(String name, String... tags) {
    return (long) registry.get(name).tags(tags).functionCounter().count();
  }

  @Test
  void everyMeterHasUnitDescriptionAndTags() throws IOException {
    try (Heap heap = open("rich", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      heap.collect();
      assertThat(names(registry))
          .containsExactly(
              "gleaner.allocated.bytes",
              "gleaner.allocated.elements",
              "gleaner.callbacks",
              "gleaner.collections",
              "gleaner.finalizers",
              "gleaner.gc.pause",
              "gleaner.gc.reclaimed.bytes",
              "gleaner.gc.reclaimed.elements",
              "gleaner.incremental.steps",
              "gleaner.live",
              "gleaner.memory.committed",
              "gleaner.memory.external",
              "gleaner.memory.live.after.gc",
              "gleaner.memory.max",
              "gleaner.memory.peak",
              "gleaner.memory.used",
              "gleaner.stack.depth",
              "gleaner.strings",
              "gleaner.weak.cleared");
      for (Meter meter : registry.getMeters()) {
        Meter.Id id = meter.getId();
        assertThat(id.getBaseUnit()).as(id.getName()).isNotBlank();
        assertThat(id.getDescription()).as(id.getName()).isNotBlank();
        assertThat(id.getTag("heap")).as(id.getName()).isEqualTo("h");
        assertThat(id.getTag("collector")).as(id.getName()).isEqualTo("rich");
        assertThat(id.getTags().stream().map(Tag::getKey))
            .as(id.getName())
            .isSubsetOf("heap", "collector", "cause", "action", "kind", "outcome");
      }
    }
  }

  @Test
  void tagsOfTheProgramAreOnEveryMeter() throws IOException {
    try (Heap heap = open("rich", "same");
        Heap other = open("rich", "same");
        HeapMetrics metrics = new HeapMetrics(heap, Tags.of("tenant", "a"));
        HeapMetrics more = new HeapMetrics(other, Tags.of("tenant", "b"))) {
      metrics.bindTo(registry);
      more.bindTo(registry);
      heap.collect();
      assertThat(registry.getMeters())
          .allMatch(m -> m.getId().getTag("tenant") != null && m.getId().getTag("heap") != null);
      assertThat(counter("gleaner.collections", "tenant", "a", "cause", "explicit")).isEqualTo(1);
      assertThat(registry.find("gleaner.collections").tag("tenant", "b").meters()).isEmpty();
    }
  }

  @Test
  void noNameSaysItsUnitTwice() throws IOException {
    try (Heap heap = open("rich", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      heap.collect();
      for (Meter meter : registry.getMeters()) {
        Meter.Id id = meter.getId();
        String unit = Objects.requireNonNull(id.getBaseUnit());
        List<String> words = new ArrayList<>(List.of((id.getName() + "." + unit).split("[.]", -1)));
        if (id.getName().endsWith("." + unit)) { // then Prometheus' names have it once
          words.removeLast();
        }
        assertThat(words).as(id.getName()).doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void aFigureThatACollectorDoesNotHaveIsAbsent() throws IOException {
    try (Heap heap = open("plain", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      assertThat(names(registry)).doesNotContain("gleaner.incremental.steps");
    }
  }

  @Test
  void showsTheHeapsFigures() throws IOException {
    try (Heap heap = open("plain", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      Mutator t = heap.mutator();
      t.enter(2);
      for (int i = 0; i < 100; i++) {
        t.newRecord(0, 2);
      }
      t.newString(1, "text");
      heap.reserveExternal(1000);
      heap.collect();
      HeapStatistics s = heap.statistics();
      assertThat(gauge("gleaner.memory.used")).isEqualTo(s.usedBytes()).isPositive();
      assertThat(gauge("gleaner.memory.peak")).isEqualTo(s.peakBytes()).isPositive();
      assertThat(gauge("gleaner.memory.committed")).isEqualTo(s.committedBytes()).isPositive();
      assertThat(gauge("gleaner.memory.max")).isEqualTo(1 << 30);
      assertThat(gauge("gleaner.memory.external")).isEqualTo(1000);
      assertThat(gauge("gleaner.memory.live.after.gc")).isEqualTo(s.liveAfterBytes()).isPositive();
      assertThat(gauge("gleaner.live", "kind", "record")).isEqualTo(100);
      assertThat(gauge("gleaner.live", "kind", "dynamic-buffer")).isZero();
      assertThat(gauge("gleaner.strings")).isEqualTo(s.strings()).isPositive();
      assertThat(gauge("gleaner.stack.depth")).isEqualTo(s.frameDepth()).isPositive();
      assertThat(counter("gleaner.allocated.elements")).isEqualTo(s.allocatedElements());
      assertThat(counter("gleaner.allocated.bytes")).isEqualTo(s.allocatedBytes());
      assertThat(counter("gleaner.finalizers", "outcome", "run")).isZero();
    }
  }

  @Test
  @SuppressWarnings("try") // closed before its end, on purpose
  void tellsPausesAndCollectionsByCause() throws IOException {
    try (Heap heap = open("plain", "h")) {
      HeapMetrics metrics = new HeapMetrics(heap);
      heap.collect();
      metrics.bindTo(registry);
      metrics.bindTo(registry);
      heap.collect();
      assertThat(counter("gleaner.collections", "cause", "explicit")).isEqualTo(2);
      // Pauses are told to the registries that are there at the time.
      assertThat(
              registry.get("gleaner.gc.pause").tags("cause", "explicit", "action", "full").timer())
          .satisfies(timer -> {
            assertThat(timer.count()).isEqualTo(1);
            assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isPositive();
          });
      Mutator t = heap.mutator();
      t.enter(1);
      t.newRecord(0, 1);
      t.setFinalizer(0, "f", (thread, closing) -> {});
      heap.close();
      // Closing collects for what has a finalizer; the figures stay until the meters are closed.
      assertThat(counter("gleaner.collections", "cause", "closing")).isPositive();
      assertThat(gauge("gleaner.memory.used")).isZero();
      assertThat(counter("gleaner.allocated.elements")).isPositive();
      metrics.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  /** Micrometer logs what is registered a second time, and would print it. */
  @Test
  void aCauseSeenWithTwoActionsIsRegisteredOnce() throws IOException {
    List<String> logged = new ArrayList<>();
    Logger micrometer = Logger.getLogger("io.micrometer");
    Handler handler = new Logged(logged);
    micrometer.addHandler(handler);
    micrometer.setUseParentHandlers(false);
    micrometer.setLevel(Level.ALL);
    try (Heap heap = open("rich", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      assertThat(heap.step(1)).isTrue();
      Mutator t = heap.mutator();
      t.enter(1);
      while (heap.statistics().collections() < 2) {
        t.newRecord(0, 1); // until it collects of its own accord, at one go
      }
      assertThat(counter("gleaner.collections", "cause", "voluntary")).isEqualTo(2);
      assertThat(registry.find("gleaner.gc.pause").tag("cause", "voluntary").timers())
          .extracting(timer -> timer.getId().getTag("action"))
          .containsExactlyInAnyOrder("slice", "full");
    } finally {
      micrometer.setLevel(null);
      micrometer.setUseParentHandlers(true);
      micrometer.removeHandler(handler);
    }
    assertThat(logged).isEmpty();
    assertThat(registry.getMeters()).isEmpty();
  }

  private static final class Logged extends Handler {
    private final List<String> messages;

    Logged(List<String> messages) {
      this.messages = messages;
      setLevel(Level.ALL);
    }

    @Override
    public void publish(LogRecord entry) {
      messages.add(entry.getMessage());
    }

    @Override
    public void flush() {
      // nothing is kept back
    }

    @Override
    public void close() {
      // nothing is held
    }
  }

  @Test
  void closingUnregistersItsOwnMetersOnly() throws IOException {
    MeterRegistry second = new SimpleMeterRegistry();
    try (Heap a = open("plain", "a");
        Heap b = open("plain", "b")) {
      HeapMetrics ofA = new HeapMetrics(a);
      HeapMetrics ofB = new HeapMetrics(b);
      ofA.bindTo(registry);
      ofA.bindTo(second);
      ofB.bindTo(registry);
      a.collect();
      b.collect();
      int all = registry.getMeters().size();
      ofA.close();
      ofA.close();
      assertThat(second.getMeters()).isEmpty();
      assertThat(registry.getMeters()).hasSize(all / 2);
      assertThat(registry.getMeters()).allMatch(m -> "b".equals(m.getId().getTag("heap")));
      a.collect();
      assertThat(registry.getMeters()).hasSize(all / 2);
      assertThatThrownBy(() -> ofA.bindTo(registry)).hasMessage("the meters of heap a are closed");
      ofB.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  @SuppressWarnings("try") // closed before its end, on purpose
  void twoHeapsOfOneNameAreAnErrorNotASilence() throws IOException {
    try (Heap a = open("plain", "same");
        Heap b = open("plain", "same");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(registry);
      assertThatThrownBy(() -> ofB.bindTo(registry))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot show the meters of heap same");
      ofA.close();
      ofB.bindTo(registry);
    }
  }

  @Test
  @SuppressWarnings("try") // closed before its end, on purpose
  void aRegistryThatWasClearedCanBeBoundAgain() throws IOException {
    try (Heap a = open("plain", "a");
        Heap b = open("plain", "b");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(registry);
      a.collect();
      ofB.bindTo(registry);
      Set<String> all = names(registry);
      int meters = registry.getMeters().size();
      registry.clear();
      ofA.bindTo(registry);
      ofB.bindTo(registry);
      assertThat(names(registry)).isEqualTo(all);
      assertThat(registry.getMeters()).hasSize(meters);
      a.collect();
      assertThat(registry.get("gleaner.gc.pause").tag("heap", "a").timer().count()).isEqualTo(1);
      registry.remove(registry.get("gleaner.live").tag("heap", "a").meter());
      ofA.bindTo(registry);
      assertThat(registry.getMeters()).hasSize(meters);
      ofA.close();
      ofB.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  @SuppressWarnings("try") // closed before its end, on purpose
  void afterAClearTheMetersOfAnotherHeapOfTheSameNameStay() throws IOException {
    try (Heap a = open("plain", "same");
        Heap b = open("plain", "same");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(registry);
      registry.clear();
      ofB.bindTo(registry);
      int meters = registry.getMeters().size();
      ofA.close();
      assertThat(registry.getMeters()).hasSize(meters);
    }
  }

  private static List<MeterRegistry> filtered() {
    List<MeterRegistry> registries =
        List.of(
            new SimpleMeterRegistry(),
            new SimpleMeterRegistry(),
            new SimpleMeterRegistry(),
            new SimpleMeterRegistry(),
            new CompositeMeterRegistry().add(new SimpleMeterRegistry()));
    registries.get(0).config().commonTags("app", "shop");
    registries.get(1).config().meterFilter(MeterFilter.renameTag("gleaner", "heap", "of"));
    registries.get(2).config().meterFilter(MeterFilter.ignoreTags("heap"));
    registries.get(3).config().meterFilter(MeterFilter.denyNameStartsWith("gleaner.memory.used"));
    return registries;
  }

  @ParameterizedTest
  @MethodSource("filtered")
  @SuppressWarnings("try") // closed before its end, on purpose
  void aSecondHeapOfOneNameLosesNothingOfTheFirst(MeterRegistry into) throws IOException {
    try (Heap a = open("plain", "same");
        Heap b = open("plain", "same");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(into);
      List<Meter> first = into.getMeters();
      assertThatThrownBy(() -> ofB.bindTo(into))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot show the meters of heap same")
          .hasMessageContaining("the registry already has one");
      b.collect();
      ofB.close();
      ofB.close();
      assertThat(into.getMeters()).containsExactlyInAnyOrderElementsOf(first);
      ofA.close();
      assertThat(into.getMeters()).isEmpty();
      try (HeapMetrics again = new HeapMetrics(b)) {
        again.bindTo(into);
        assertThat(into.getMeters()).hasSameSizeAs(first);
      }
    }
  }

  @Test
  void aHeapBoundThroughACompositeIsKnownInItsPart() throws IOException {
    try (Heap a = open("plain", "same");
        Heap b = open("plain", "same");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(new CompositeMeterRegistry().add(registry));
      int all = registry.getMeters().size();
      assertThatThrownBy(() -> ofB.bindTo(registry)).isInstanceOf(IllegalStateException.class);
      assertThat(registry.getMeters()).hasSize(all);
    }
  }

  @Test
  @SuppressWarnings("try") // closed before its end, on purpose
  void aTimerThatAFilterMakesOneIsSharedUntilTheLastOneCloses() throws IOException {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                return id.getName().equals("gleaner.gc.pause") ? id.replaceTags(Tags.empty()) : id;
              }
            });
    try (Heap a = open("plain", "a");
        Heap b = open("plain", "b");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(registry);
      ofB.bindTo(registry);
      a.collect();
      b.collect();
      ofA.close();
      b.collect();
      assertThat(registry.get("gleaner.gc.pause").timer().count()).isEqualTo(3);
      ofB.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  void aClosedRegistryAndOneThatDeniesAllAreNoError() throws IOException {
    registry.config().meterFilter(MeterFilter.deny());
    MeterRegistry closed = new SimpleMeterRegistry();
    closed.close();
    try (Heap heap = open("plain", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      metrics.bindTo(closed);
      heap.collect();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  /** Work is counted, not time: each bind asks the registry for its own meters only. */
  @Test
  void bindingReadsNoMetersOfOtherHeaps() throws IOException {
    AtomicInteger read = new AtomicInteger();
    MeterRegistry counting =
        new SimpleMeterRegistry() {
          @Override
          public List<Meter> getMeters() {
            read.incrementAndGet();
            return super.getMeters();
          }

          @Override
          public void forEachMeter(Consumer<? super Meter> consumer) {
            read.incrementAndGet();
            super.forEachMeter(consumer);
          }
        };
    try (Heap a = open("plain", "a");
        Heap b = open("plain", "b");
        HeapMetrics ofA = new HeapMetrics(a);
        HeapMetrics ofB = new HeapMetrics(b)) {
      ofA.bindTo(counting);
      ofB.bindTo(counting);
      assertThat(read).hasValue(0);
    }
  }

  @Test
  void canBeReadAndBoundFromOtherThreads() throws Exception {
    try (Heap heap = open("plain", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      CompletableFuture<Void> reader =
          CompletableFuture.runAsync(() -> {
            metrics.bindTo(registry);
            for (int i = 0; i < 1000; i++) {
              registry.getMeters().forEach(m -> m.measure().forEach(v -> v.getValue()));
            }
          });
      Mutator t = heap.mutator();
      t.enter(1);
      while (!reader.isDone()) {
        t.newRecord(0, 1);
        if (heap.statistics().allocatedElements() % 1000 == 0) {
          heap.collect();
        }
      }
      reader.get();
      t.leave();
      heap.collect();
      assertThat(counter("gleaner.allocated.elements"))
          .isEqualTo(heap.statistics().allocatedElements());
    }
  }

  @Test
  void aRegistryHoldsNoHeapOnceTheMetersAreClosed() throws Exception {
    WeakReference<Object> heap = openUseAndClose();
    for (int i = 0; i < 100 && !heap.refersTo(null); i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(heap.refersTo(null)).isTrue();
    assertThat(registry.getMeters()).isEmpty();
  }

  private WeakReference<Object> openUseAndClose() throws IOException {
    try (Heap heap = open("plain", "h");
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      heap.collect();
      return new WeakReference<>(heap);
    }
  }
}
