package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lab.measure.Timeline.Sample;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorTraits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeteredRunTest {
  private static HeapFactory factory(String settings) {
    return Gleaner.factory(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load()));
  }

  private record Probe(ToLongFunction<Run> work) implements Workload {
    @Override
    public String name() {
      return "probe";
    }

    @Override
    public String summary() {
      return "for tests";
    }

    @Override
    public Map<String, String> defaults() {
      return Map.of("n", "10");
    }

    @Override
    public long run(Run run) {
      return work.applyAsLong(run);
    }

    @Override
    public @Nullable JvmBaseline baseline() {
      return null;
    }
  }

  private static RunResult run(String settings, ToLongFunction<Run> work) {
    Probe probe = new Probe(work);
    return MeteredRun.execute(
        probe, factory(settings), Parameters.of(probe, Map.of()), fraction -> {});
  }

  private static long records(Run run, int count) {
    Mutator thread = run.openHeap().mutator();
    thread.enter(1);
    for (int i = 0; i < count; i++) {
      thread.newRecord(0, 2);
    }
    run.measure();
    run.openHeap().collect();
    thread.leave();
    run.extra("records", count);
    return count;
  }

  @Test
  void takesTheBytesOfWhatIsNotLeftOut() {
    RunResult result =
        run(
            "",
            run -> {
              Mutator thread = run.openHeap().mutator();
              thread.enter(2);
              thread.newRecord(0, 10_000);
              run.leaveOut();
              for (int i = 0; i < 10_000; i++) {
                thread.newRecord(1, 2);
                thread.store(0, i, 1);
              }
              run.measure();
              thread.leave();
              return 0;
            });
    assertThat(result.figure(Figure.BYTES_PER_ELEMENT)).isBetween(24.0, 24.5);
  }

  @Test
  void readsTheMeters() {
    RunResult result = run("gleaner.voluntary.enabled = false", run -> records(run, 1000));
    assertThat(result.status()).isEqualTo(RunResult.OK);
    assertThat(result.checksum()).isEqualTo(1000);
    assertThat(result.extras()).containsExactly(Map.entry("records", 1000.0));
    assertThat(result.figures())
        .containsEntry(Figure.COLLECTIONS, 1.0)
        .containsEntry(Figure.RECLAIMED_ELEMENTS, 999.0)
        .containsEntry(Figure.LIVE_ELEMENTS_AT_END, 0.0)
        .containsEntry(Figure.FINALIZERS_RUN, 0.0)
        .containsKeys(
            Figure.SECONDS, Figure.CPU_SECONDS, Figure.PROCESS_CPU_SECONDS, Figure.PEAK_USED_BYTES);
    // Beside the records a heap has a few elements of its own.
    assertThat(result.figure(Figure.ALLOCATED_ELEMENTS)).isBetween(1000.0, 1010.0);
    assertThat(result.figure(Figure.PAUSE_SECONDS_MAX))
        .isPositive()
        .isEqualTo(result.figure(Figure.PAUSE_SECONDS_TOTAL));
    assertThat(result.figure(Figure.ALLOCATED_BYTES)).isGreaterThanOrEqualTo(24_000.0);
    assertThat(result.figure(Figure.BYTES_PER_ELEMENT)).isBetween(24.0, 40.0);
  }

  @Test
  void withoutACollectionThereIsNoPause() {
    RunResult result =
        run(
            "gleaner.voluntary.enabled = false",
            run -> {
              run.openHeap();
              return 0;
            });
    assertThat(result.figures())
        .containsEntry(Figure.COLLECTIONS, 0.0)
        .containsEntry(Figure.PAUSE_SECONDS_TOTAL, 0.0)
        .doesNotContainKeys(Figure.PAUSE_SECONDS_P50, Figure.BYTES_PER_ELEMENT);
  }

  /** A list of records is built and dropped; collections free it. */
  @Test
  void recordsMemoryAndPauses() {
    RunResult result =
        run("", run -> records(run, 2_000_000)); // many milliseconds, even when compiled
    List<Sample> samples = result.recording().memory().samples();
    long peak = Objects.requireNonNull(result.figure(Figure.PEAK_USED_BYTES)).longValue();
    assertThat(samples).hasSizeGreaterThan(10);
    assertThat(samples).isSortedAccordingTo(Comparator.comparingLong(Sample::nanos));
    assertThat(samples).extracting(Sample::bytes).allMatch(bytes -> bytes >= 0 && bytes <= peak);
    long most = samples.stream().mapToLong(Sample::bytes).max().orElse(0);
    long least = samples.stream().mapToLong(Sample::bytes).min().orElse(0);
    assertThat(most).isGreaterThan(peak * 9 / 10);
    assertThat(least).isLessThan(peak / 2);
    PauseHistogram pauses = result.recording().pauses();
    // The collections after the workload's end are no part of it.
    assertThat((double) pauses.count()).isEqualTo(result.figure(Figure.COLLECTIONS));
    assertThat(pauses.longestSeconds()).isEqualTo(result.figure(Figure.PAUSE_SECONDS_MAX));
  }

  @Test
  void aHeapThatIsTooSmallIsAStatus() {
    RunResult result =
        run(
            "gleaner.memory.max = 64KiB",
            run -> {
              run.openHeap().mutator().enter(1);
              run.openHeap().mutator().newBuffer(0, 1 << 20);
              return 0;
            });
    assertThat(result.status()).isEqualTo(RunResult.OUT_OF_MEMORY);
    assertThat(result.checksum()).isNull();
    assertThat(result.figures()).containsKey(Figure.COLLECTIONS);
    assertThat(result.recording().memory().samples()).isNotEmpty();
  }

  @Test
  void whatAWorkloadThrowsIsAStatus() {
    RunResult result =
        run(
            "",
            run -> {
              throw new IllegalStateException("on purpose,\nfor a test");
            });
    assertThat(result.status()).isEqualTo("failed: IllegalStateException: on purpose, for a test");
  }

  @Test
  void aWorkloadMayDoWithoutTheHeap() {
    RunResult result = run("", run -> run.parameters().number("n"));
    assertThat(result.status()).isEqualTo(RunResult.OK);
    assertThat(result.checksum()).isEqualTo(10);
    assertThat(result.figures())
        .containsOnlyKeys(Figure.SECONDS, Figure.CPU_SECONDS, Figure.PROCESS_CPU_SECONDS);
    assertThat(result.recording()).isEqualTo(ChartData.NONE);
  }

  /** Heaps whose collector says that it cannot reclaim cycles. */
  private record WithoutCycles(HeapFactory heaps) implements HeapFactory {
    @Override
    public Heap open() {
      return heaps.open();
    }

    @Override
    public Heap open(String name) {
      return heaps.open(name);
    }

    @Override
    public Heap open(String name, @Nullable AllocationFunctionsFactory functions) {
      return heaps.open(name, functions);
    }

    @Override
    public Heap open(HeapImage image, ImageBindings bindings) {
      return heaps.open(image, bindings);
    }

    @Override
    public Heap open(String name, HeapImage image, ImageBindings bindings) {
      return heaps.open(name, image, bindings);
    }

    @Override
    public String collector() {
      return heaps.collector();
    }

    @Override
    public CollectorTraits traits() {
      return CollectorTraits.of();
    }

    @Override
    public HeapSettings settings() {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void whatIsLeftUnderACollectorWithoutCyclesHasLeaked() {
    Probe keepsOne =
        new Probe(run -> {
          Mutator thread = run.openHeap().mutator();
          thread.enter(1);
          thread.newRecord(0, 2);
          thread.setGlobal(run.openHeap().newGlobal(), 0);
          thread.leave();
          return 1;
        });
    Parameters parameters = Parameters.of(keepsOne, Map.of());
    RunResult able = MeteredRun.execute(keepsOne, factory(""), parameters, fraction -> {});
    assertThat(able.status()).isEqualTo(RunResult.OK);
    assertThat(able.figure(Figure.LIVE_ELEMENTS_AT_END)).isEqualTo(1);
    RunResult unable =
        MeteredRun.execute(keepsOne, new WithoutCycles(factory("")), parameters, fraction -> {});
    assertThat(unable.status()).isEqualTo(RunResult.LEAKED);
    assertThat(unable.figure(Figure.LIVE_ELEMENTS_AT_END)).isEqualTo(1);
  }

  @Test
  void theHeapsOwnElementsAreNotLeft() {
    RunResult result =
        run(
            "",
            run -> {
              Mutator thread = run.openHeap().mutator();
              thread.enter(1);
              thread.newRecord(0, 1);
              thread.setFinalizer(0, "probe", (t, closing) -> {});
              thread.leave();
              run.openHeap().collect();
              return 0;
            });
    assertThat(result.figures())
        .containsEntry(Figure.FINALIZERS_RUN, 1.0)
        .containsEntry(Figure.LIVE_ELEMENTS_AT_END, 0.0);
  }

  @Test
  void passesProgressOn() {
    List<Double> seen = new ArrayList<>();
    Probe probe =
        new Probe(run -> {
          run.progress(0.5);
          return 0;
        });
    MeteredRun.execute(probe, factory(""), Parameters.of(probe, Map.of()), seen::add);
    assertThat(seen).containsExactly(0.5);
  }
}
