package dev.gleaner.lab.serve;

import dev.gleaner.lab.output.ComparisonJson;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the live page shows, as JSON, schema 1: sums of meters, a collector each. A figure that
 * there is none of, as between two heaps, is null.
 */
final class LiveData {
  private static final int SCHEMA = 1;

  private final MeterRegistry registry;
  private final List<String> collectors;
  private final Map<String, Object> workload = new LinkedHashMap<>();
  private final long start = System.nanoTime();

  LiveData(
      MeterRegistry registry,
      List<String> collectors,
      String workload,
      Map<String, String> parameters) {
    this.registry = registry;
    this.collectors = collectors;
    this.workload.put("name", workload);
    this.workload.put("parameters", parameters);
  }

  String json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", SCHEMA);
    document.put("seconds", (System.nanoTime() - start) / 1e9);
    document.put("workload", workload);
    document.put("collectors", collectors.stream().map(this::figures).toList());
    return ComparisonJson.write(document);
  }

  private Map<String, @Nullable Object> figures(String collector) {
    Map<String, @Nullable Object> f = new LinkedHashMap<>();
    f.put("collector", collector);
    f.put("used_bytes", gauge(collector, "gleaner.memory.used"));
    f.put("peak_bytes", gauge(collector, "gleaner.memory.peak"));
    f.put("max_bytes", gauge(collector, "gleaner.memory.max"));
    f.put("live_elements", gauge(collector, "gleaner.live"));
    f.put("strings", gauge(collector, "gleaner.strings"));
    f.put("allocated_bytes", count(collector, "gleaner.allocated.bytes"));
    f.put("allocated_elements", count(collector, "gleaner.allocated.elements"));
    f.put("collections", count(collector, "gleaner.collections"));
    f.put("reclaimed_elements", count(collector, "gleaner.gc.reclaimed.elements"));
    f.put("pauses", count(collector, "gleaner.gc.pause"));
    f.put("pause_seconds", sum(collector, "gleaner.gc.pause", Statistic.TOTAL_TIME, null));
    f.put("longest_pause_seconds", longest(collector));
    f.put("finalizers_run", sum(collector, "gleaner.finalizers", Statistic.COUNT, "run"));
    f.put("runs_done", runs(collector, "done"));
    f.put("runs_out_of_memory", runs(collector, "out-of-memory"));
    f.put("runs_failed", runs(collector, "failed"));
    return f;
  }

  private @Nullable Double gauge(String collector, String name) {
    return sum(collector, name, Statistic.VALUE, null);
  }

  private @Nullable Double count(String collector, String name) {
    return sum(collector, name, Statistic.COUNT, null);
  }

  private @Nullable Double runs(String collector, String outcome) {
    return sum(collector, CollectorLoop.RUNS, Statistic.COUNT, outcome);
  }

  private @Nullable Double sum(
      String collector, String name, Statistic statistic, @Nullable String outcome) {
    Double sum = null;
    for (Meter meter : registry.find(name).tag("collector", collector).meters()) {
      if (outcome == null || outcome.equals(meter.getId().getTag("outcome"))) {
        for (Measurement measurement : meter.measure()) {
          if (measurement.getStatistic() == statistic) {
            sum = (sum == null ? 0 : sum) + measurement.getValue();
          }
        }
      }
    }
    return sum;
  }

  /** Returns the longest pause of the last minutes. */
  private @Nullable Double longest(String collector) {
    Double longest = null;
    for (Meter meter : registry.find("gleaner.gc.pause").tag("collector", collector).meters()) {
      for (Measurement measurement : meter.measure()) {
        if (measurement.getStatistic() == Statistic.MAX) {
          longest = Math.max(longest == null ? 0 : longest, measurement.getValue());
        }
      }
    }
    return longest;
  }
}
