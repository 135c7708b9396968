package dev.gleaner.lab.serve;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.stream.DoubleStream;

/** The pages over a registry's meters, and a thread that keeps their history. */
final class LiveView implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final String JSON = "application/json; charset=utf-8";

  /** Bounds of the buckets of pauses, from 50 µs to 1 s. */
  private static final double[] PAUSE_BUCKETS =
      DoubleStream.of(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
          .map(milliseconds -> milliseconds * 1e6)
          .toArray();

  private final PrometheusMeterRegistry registry;
  private final LiveData data;
  private final LivePage page;
  private final LiveHistory history = new LiveHistory();
  private final Thread sampler;

  /** Begins to keep the history. */
  LiveView(PrometheusMeterRegistry registry, LiveData data, LivePage page) {
    this.registry = registry;
    this.data = data;
    this.page = page;
    this.sampler = Thread.ofVirtual().name("history of the live page").start(this::sample);
  }

  /** Makes a registry whose pauses have buckets. */
  static PrometheusMeterRegistry registry() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
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
            });
    return registry;
  }

  private void sample() {
    try {
      while (true) {
        history.add(data.sample());
        Thread.sleep(INTERVAL);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Returns what a web server shows: its paths, and what is there. */
  Map<String, WebServer.Page> pages() {
    return Map.of(
        "/",
        page,
        "/metrics",
        WebServer.Page.of("text/plain; version=0.0.4; charset=utf-8", registry::scrape),
        "/data.json",
        WebServer.Page.of(JSON, data::json),
        "/history.json",
        WebServer.Page.of(JSON, () -> data.json(history)));
  }

  @Override
  public void close() {
    sampler.interrupt();
  }
}
