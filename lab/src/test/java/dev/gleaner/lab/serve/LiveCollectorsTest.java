package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LiveCollectorsTest {
  private final List<String> errors = Collections.synchronizedList(new ArrayList<>());

  private static HeapFactory factory(String collector) {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner { collector = " + collector + ", memory.max = 8MiB }"));
  }

  private LiveCollectors live(List<String> collectors, Workload workload, String... given) {
    return new LiveCollectors(
        collectors.stream().map(LiveCollectorsTest::factory).toList(),
        workload,
        parameters(workload, given),
        errors::add);
  }

  private static Parameters parameters(Workload workload, String... given) {
    return Parameters.of(workload, given.length == 0 ? Map.of() : Map.of(given[0], given[1]));
  }

  private static Workload workload(String name) {
    return Objects.requireNonNull(Workloads.find(name));
  }

  private static long runs(LiveCollectors live, String collector, String outcome) {
    Timer timer =
        live.registry()
            .get("gleaner.workload.run")
            .tag("collector", collector)
            .tag("outcome", outcome)
            .timer();
    return timer.count();
  }

  /** Waits for something that must come; a test that never ends has failed. */
  private static void awaitRuns(LiveCollectors live, String collector, String outcome, int runs)
      throws InterruptedException {
    while (runs(live, collector, outcome) < runs) {
      Thread.sleep(5);
    }
  }

  @Test
  void runsUnderEveryCollectorAndServesTheirMeters() throws Exception {
    List<String> all =
        CollectorRegistry.discover(List.of()).plugins().stream()
            .map(CollectorRegistry.Plugin::name)
            .toList();
    Workload trees = workload("binary-trees");
    try (LiveCollectors live = live(all, trees, "depth", "6")) {
      live.start();
      for (String collector : all) {
        awaitRuns(live, collector, "done", 3);
      }
      Map<String, WebServer.Page> pages = live.pages(trees, parameters(trees, "depth", "6"));
      String metrics = Objects.requireNonNull(pages.get("/metrics")).text();
      JsonNode data =
          new ObjectMapper().readTree(Objects.requireNonNull(pages.get("/data.json")).text());
      assertThat(data.at("/workload/name").textValue()).isEqualTo("binary-trees");
      assertThat(data.at("/workload/parameters/depth").textValue()).isEqualTo("6");
      assertThat(data.at("/collectors").findValuesAsText("collector")).isEqualTo(all);
      for (String collector : all) {
        String tags = "{collector=\"" + collector + "\",heap=\"serve\"}";
        assertThat(metrics)
            .contains(
                "gleaner_memory_used_bytes" + tags,
                "gleaner_allocated_elements_total" + tags,
                "gleaner_memory_max_bytes" + tags + " 8388608.0\n");
      }
      for (JsonNode figures : data.at("/collectors")) {
        assertThat(figures.get("runs_done").doubleValue()).isGreaterThanOrEqualTo(3);
        assertThat(figures.get("max_bytes").doubleValue()).isEqualTo(8 << 20);
        assertThat(figures.get("allocated_elements").doubleValue()).isPositive();
      }
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void opensANewHeapWhenACollectorLeaksTheOldOneFull() throws Exception {
    try (LiveCollectors live = live(List.of("refcount"), workload("cycles"), "n", "20000")) {
      live.start();
      awaitRuns(live, "refcount", "out-of-memory", 2);
      awaitRuns(live, "refcount", "done", 1);
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void stopsARunInItsMidstAndTakesItsMetersAway() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Workload endless =
        new OneWorkload(run -> {
          run.openHeap().mutator().enter(1);
          while (true) {
            run.openHeap().mutator().newRecord(0, 1);
            begun.countDown();
            run.progress(0);
          }
        });
    LiveCollectors live = live(List.of("marksweep"), endless);
    live.start();
    begun.await();
    live.close();
    assertThat(live.registry().find("gleaner.memory.used").meters()).isEmpty();
    assertThat(errors).isEmpty();
  }

  @Test
  void saysOnceWhyRunsFail() throws Exception {
    List<Heap> heaps = Collections.synchronizedList(new ArrayList<>());
    Workload failing =
        new OneWorkload(run -> {
          heaps.add(run.openHeap());
          throw new IllegalStateException("on purpose");
        });
    try (LiveCollectors live = live(List.of("hybrid"), failing)) {
      live.start();
      awaitRuns(live, "hybrid", "failed", 2);
    }
    assertThat(errors)
        .containsExactly(
            "gleaner: hybrid: one failed: java.lang.IllegalStateException: on purpose");
    assertThat(heaps).hasSizeGreaterThan(1).doesNotHaveDuplicates();
  }

  @Test
  void closesWithoutHavingStarted() {
    LiveCollectors live = live(List.of("marksweep"), workload("cycles"));
    assertThatCode(live::close).doesNotThrowAnyException();
  }

  private record OneWorkload(Function<Run, Long> work) implements Workload {
    @Override
    public String name() {
      return "one";
    }

    @Override
    public String summary() {
      return "one for a test";
    }

    @Override
    public Map<String, String> defaults() {
      return Map.of();
    }

    @Override
    public long run(Run run) {
      return work.apply(run);
    }

    @Override
    public @Nullable JvmBaseline baseline() {
      return null;
    }
  }
}
