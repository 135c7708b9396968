package dev.gleaner.lab.serve;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;

/**
 * A workload in a loop under several collectors, all in this JVM: a thread, a heap and its meters
 * each.
 *
 * <p>They share the machine's cores and the code of the heap that the JIT compiler made for all of
 * them, so what they use and how long they pause can be set side by side, their speed cannot.
 */
public final class LiveCollectors implements AutoCloseable {
  /** How long a loop may take to end when it is asked to. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Bounds of the buckets of pauses, from 50 µs to 1 s. */
  private static final double[] PAUSE_BUCKETS =
      DoubleStream.of(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
          .map(milliseconds -> milliseconds * 1e6)
          .toArray();

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<CollectorLoop> loops;
  private final List<Thread> threads = new ArrayList<>();
  private final Consumer<String> errors;

  /**
   * Prepares them.
   *
   * @param factories one a collector
   * @param errors told, a line at a time, why runs failed; from any thread
   */
  public LiveCollectors(
      List<HeapFactory> factories,
      Workload workload,
      Parameters parameters,
      Consumer<String> errors) {
    registry.config().meterFilter(pauseBuckets());
    loops =
        factories.stream()
            .map(factory -> new CollectorLoop(factory, workload, parameters, registry, errors))
            .toList();
    this.errors = errors;
  }

  /** Starts them. */
  public void start() {
    for (CollectorLoop loop : loops) {
      threads.add(Thread.ofPlatform().daemon().name(loop.collector()).start(loop));
    }
  }

  /** Returns what a web server shows of them: its paths, and what is there. */
  public Map<String, WebServer.Page> pages(Workload workload, Parameters parameters) {
    List<String> collectors = loops.stream().map(CollectorLoop::collector).toList();
    LiveData data = new LiveData(registry, collectors, workload.name(), parameters.values());
    LivePage page = LivePage.load();
    return Map.of(
        "/", page,
        "/metrics", WebServer.Page.of("text/plain; version=0.0.4; charset=utf-8", registry::scrape),
        "/data.json", WebServer.Page.of("application/json; charset=utf-8", data::json));
  }

  /** Returns the meters. */
  public MeterRegistry registry() {
    return registry;
  }

  private static MeterFilter pauseBuckets() {
    return new MeterFilter() {
      @Override
      public DistributionStatisticConfig configure(
          Meter.Id id, DistributionStatisticConfig config) {
        return id.getName().equals("gleaner.gc.pause")
            ? DistributionStatisticConfig.builder()
                .serviceLevelObjectives(PAUSE_BUCKETS)
                .build()
                .merge(config)
            : config;
      }
    };
  }

  /**
   * Stops the runs and closes all heaps.
   *
   * @throws IllegalStateException if one does not end in half a minute
   */
  @Override
  public void close() {
    loops.forEach(CollectorLoop::stop);
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (Thread thread : threads) {
      if (!join(thread, Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        errors.accept("gleaner: " + thread.getName() + " does not end");
        throw new IllegalStateException(thread.getName() + " does not end");
      }
    }
    registry.close();
  }

  private static boolean join(Thread thread, Duration patience) {
    boolean interrupted = Thread.interrupted();
    try {
      return thread.join(patience);
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
