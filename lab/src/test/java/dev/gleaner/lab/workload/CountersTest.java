package dev.gleaner.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lab.trace.Replay;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.metrics.MeteredHeapFactory;
import dev.gleaner.testing.Tier;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceTable;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No counter goes back: who asks for the rate of one would take that for a new start. All meters,
 * of the heap and of the factory that opened it, are read between the operations of a workload, as
 * its trace has them, at each collection, and once the heap is closed. Every other workload is
 * collected in slices, where the collector can.
 */
final class CountersTest {
  private static final Set<Statistic> COUNTING =
      Set.of(Statistic.COUNT, Statistic.TOTAL, Statistic.TOTAL_TIME);

  private static final int READS = 1000;

  /** The smallest that has a few collections. */
  private static final Map<String, Map<String, String>> SIZES =
      Map.of(
          "binary-trees", Map.of("depth", "5"),
          "gcbench", Map.of(),
          "churn", Map.of("n", "300", "slots", "30"),
          "nest", Map.of("n", "40", "frames", "6"),
          "tenants", Map.of("heaps", "2"));

  private static final String SETTINGS =
      "gleaner { voluntary.add = 40, memory.initial = 4KiB, strings.initial = 16,"
          + " collectors.framestack { voluntary.add = 40, region = 4KiB, cycle.after = 16 } }";

  private static final String SLICES =
      "\ngleaner.incremental { enabled = true, allocations-per-slice = 8 }";

  /** Those that are there before anything has happened. */
  private static final String[] ALWAYS = {
    "gleaner.allocated.bytes",
    "gleaner.allocated.elements",
    "gleaner.callbacks",
    "gleaner.finalizers",
    "gleaner.gc.reclaimed.bytes",
    "gleaner.gc.reclaimed.elements",
    "gleaner.heaps.opened",
    "gleaner.weak.cleared"
  };

  private record Key(Meter.Id id, Statistic statistic) {}

  @TempDir Path folder;

  static Stream<Arguments> runs() {
    List<Workload> workloads = Workloads.all();
    List<String> collectors = WorkloadOnHeapsTest.collectors().toList();
    List<Arguments> runs = new ArrayList<>();
    for (int i = 0; i < workloads.size(); i++) {
      Workload workload = workloads.get(i);
      for (int c = 0; c < collectors.size(); c++) {
        if (Tier.has(i, c, collectors.size())) {
          runs.add(Arguments.of(collectors.get(c), workload.name(), small(workload), i % 2 == 0));
        }
      }
    }
    return runs.stream();
  }

  private static Workload small(Workload workload) {
    return workload instanceof GcBench ? new GcBench(7) : workload;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("runs")
  @Tag("seeds")
  void neverGoBack(String collector, String name, Workload workload, boolean slices) {
    Map<String, String> size = SIZES.getOrDefault(name, Map.of("n", "60"));
    Path file = folder.resolve("run.trace");
    String record = "\ngleaner.trace.file = \"" + file + "\"";
    String mode = slices ? SLICES : "";
    try (UnmeasuredRun run =
        new UnmeasuredRun(
            Gleaner.factory(settings(collector, record)), Parameters.of(workload, size))) {
      long _ = workload.run(run);
    }
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Poll poll = new Poll(registry);
    MeteredHeapFactory heaps =
        new MeteredHeapFactory(Gleaner.factory(settings(collector, mode)), Tags.of("heaps", "all"));
    heaps.bindTo(registry);
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class));
        Heap heap = heaps.open()) {
      new HeapMetrics(heap).bindTo(registry);
      heap.addListener(poll);
      Replay replay = Replay.on(trace, _ -> heap, fraction -> {});
      long step = 1 + trace.total(TraceFormat.OPERATIONS) / READS;
      replay.observe((number, operation) -> {
        if (number % step == 0) {
          poll.read(operation + ", number " + number);
        }
      });
      replay.run();
      replay.release();
    }
    poll.read("what follows the close");
    try (Heap _ = heaps.open()) {
      poll.read("the next heap");
    }
    assertThat(poll.falls).isEmpty();
    assertThat(poll.closed).isTrue();
    assertThat(poll.names()).contains(ALWAYS);
    assertThat(poll.names().contains("gleaner.incremental.steps"))
        .isEqualTo(Set.of("hybrid", "marksweep").contains(collector));
  }

  private static Config settings(String collector, String more) {
    return ConfigFactory.parseString("gleaner.collector = " + collector + "\n" + SETTINGS + more)
        .withFallback(ConfigFactory.load());
  }

  /** Reads all meters, and keeps what they said last. */
  private static final class Poll implements HeapListener {
    private final SimpleMeterRegistry registry;
    private final Map<Key, Double> last = new HashMap<>();
    final List<String> falls = new ArrayList<>();
    boolean closed;

    Poll(SimpleMeterRegistry registry) {
      this.registry = registry;
    }

    Set<String> names() {
      return last.keySet().stream().map(key -> key.id().getName()).collect(Collectors.toSet());
    }

    void read(String when) {
      for (Meter meter : registry.getMeters()) {
        for (Measurement measurement : meter.measure()) {
          if (COUNTING.contains(measurement.getStatistic())) {
            compare(when, new Key(meter.getId(), measurement.getStatistic()), measurement);
          }
        }
      }
    }

    private void compare(String when, Key key, Measurement measurement) {
      double now = measurement.getValue();
      Double before = last.put(key, now);
      if (before != null && now < before && falls.size() < 10) {
        falls.add(key.id() + " fell from " + before + " to " + now + " by " + when);
      }
    }

    @Override
    public void collectionStarting() {
      read("the start of a collection");
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      read("the end of a collection");
    }

    @Override
    public void paused(CollectionEvent event) {
      read("a pause");
    }

    @Override
    public void heapClosed(Heap heap) {
      read("the close");
      closed = true;
    }
  }
}
