package dev.gleaner.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.lab.workload.Sizes.Size;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.Capability;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every workload at small sizes under every collector that is installed. */
final class WorkloadOnHeapsTest {

  static Stream<String> collectors() {
    return CollectorRegistry.discover(List.of()).plugins().stream()
        .map(plugin -> plugin.provider().name());
  }

  /** In the short tier each size with one collector. */
  static Stream<Arguments> runs() {
    List<Size> sizes = Sizes.small().toList();
    List<String> collectors = collectors().toList();
    List<Arguments> runs = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      for (int c = 0; c < collectors.size(); c++) {
        if (Tier.has(i, c, collectors.size())) {
          runs.add(Arguments.of(collectors.get(c), sizes.get(i)));
        }
      }
    }
    return runs.stream();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("runs")
  @Tag("seeds")
  void hasTheExpectedChecksumAndLeavesNothing(String collector, Size size) {
    Workload workload = size.workload();
    try (TestRun run = new TestRun(workload, size.given(), collector)) {
      assertThat(workload.run(run)).isEqualTo(size.checksum());
      leavesNothing(run.openHeap());
    }
  }

  /** Nothing is left but what a heap has of its own: threads. */
  private static void leavesNothing(Heap heap) {
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(heap.mutator().frameDepth()).isZero();
    heap.collect();
    heap.collect();
    if (heap.traits().has(Capability.CYCLES)) {
      List<Kind> left = new ArrayList<>();
      heap.inspect().forEachElement((kind, bytes) -> left.add(kind));
      assertThat(left).containsOnly(Kind.THREAD);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("exhaustive")
  void gcbenchHasTheExpectedChecksumSmallAndLarge(String collector) {
    GcBench small = new GcBench(10);
    long expected = small.baseline().run(new TestRun(small, Map.of()));
    try (TestRun run = new TestRun(small, Map.of(), collector)) {
      assertThat(small.run(run)).isEqualTo(expected);
    }
    GcBench large = new GcBench();
    try (TestRun run = new TestRun(large, Map.of(), collector)) {
      assertThat(large.run(run)).isEqualTo(220703);
      leavesNothing(run.openHeap());
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void graphMeasuresAndReports(String collector) {
    Graph graph = new Graph();
    try (TestRun run = new TestRun(graph, Map.of("n", "20000"), collector)) {
      graph.run(run);
      assertThat(run.measured).isEqualTo(1);
      assertThat(run.extras)
          .containsOnlyKeys(
              "collection_1_ms",
              "collection_2_ms",
              "collection_3_ms",
              "collection_4_ms",
              "collection_5_ms",
              "bytes_per_element_with_array");
      assertThat(run.leftOut).isEqualTo(1);
      assertThat(run.extras.get("bytes_per_element_with_array")).isBetween(32.0, 40.0);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void finalizersAreCalledOnceAndTheRescuedTwice(String collector) {
    Finalizers finalizers = new Finalizers();
    try (TestRun run = new TestRun(finalizers, Map.of("n", "30000"), collector)) {
      finalizers.run(run);
      assertThat(run.openHeap().statistics().finalizersRun()).isEqualTo(33_000);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void tenantsReportsTimeAndSpace(String collector) {
    Tenants tenants = new Tenants();
    try (TestRun run = new TestRun(tenants, Map.of("heaps", "20"), collector)) {
      tenants.run(run);
      assertThat(run.extras.get("microseconds_per_heap")).isPositive();
    }
  }
}
