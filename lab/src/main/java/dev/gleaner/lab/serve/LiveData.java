package dev.gleaner.lab.serve;

import dev.gleaner.lab.chart.Style;
import dev.gleaner.lab.output.ComparisonJson;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the live page shows, as JSON, schema 1: sums of meters, a row for each subject. A figure
 * that there is none of, as between two heaps, is null.
 */
final class LiveData {
  private static final int SCHEMA = 1;

  private final MeterRegistry registry;
  private final List<LiveSubject> subjects;
  private final Map<String, Object> workload = new LinkedHashMap<>();
  private final long start = System.nanoTime();

  /**
   * Begins at 0 seconds.
   *
   * @param subjects what is shown; more may come
   */
  LiveData(
      MeterRegistry registry,
      List<LiveSubject> subjects,
      String workload,
      Map<String, String> parameters) {
    this.registry = registry;
    this.subjects = subjects;
    this.workload.put("name", workload);
    this.workload.put("parameters", parameters);
  }

  String json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", SCHEMA);
    document.put("seconds", seconds());
    document.put("workload", workload);
    List<String> names = subjects.stream().map(LiveSubject::name).toList();
    document.put("styles", Style.of(names).stream().map(Style::index).toList());
    document.put("collectors", subjects.stream().map(this::figures).toList());
    return ComparisonJson.write(document);
  }

  /** Returns the samples as JSON, each as an array, for the same rows. */
  String json(LiveHistory history) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", SCHEMA);
    document.put("collectors", subjects.stream().map(LiveSubject::name).toList());
    document.put("figures", LiveHistory.FIGURES);
    document.put(
        "samples",
        history.samples().stream()
            .map(sample -> List.of(sample.seconds(), sample.figures()))
            .toList());
    return ComparisonJson.write(document);
  }

  /** Takes a sample. */
  LiveHistory.Sample sample() {
    List<List<@Nullable Double>> rows = new ArrayList<>();
    for (LiveSubject subject : subjects) {
      Map<String, @Nullable Object> figures = figures(subject);
      List<@Nullable Double> row = new ArrayList<>();
      LiveHistory.FIGURES.forEach(figure -> row.add((Double) figures.get(figure)));
      rows.add(row);
    }
    return new LiveHistory.Sample(seconds(), rows);
  }

  private double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  private Map<String, @Nullable Object> figures(LiveSubject of) {
    Map<String, @Nullable Object> f = new LinkedHashMap<>();
    f.put("collector", of.name());
    f.put("heaps", gauge(of, "gleaner.heaps"));
    f.put("used_bytes", gauge(of, "gleaner.memory.used"));
    f.put("peak_bytes", gauge(of, "gleaner.memory.peak"));
    f.put("max_bytes", gauge(of, "gleaner.memory.max"));
    f.put("live_elements", gauge(of, "gleaner.live"));
    f.put("strings", gauge(of, "gleaner.strings"));
    f.put("allocated_bytes", count(of, "gleaner.allocated.bytes"));
    f.put("allocated_elements", count(of, "gleaner.allocated.elements"));
    f.put("collections", count(of, "gleaner.collections"));
    f.put("reclaimed_elements", count(of, "gleaner.gc.reclaimed.elements"));
    f.put("pauses", count(of, "gleaner.gc.pause"));
    f.put("pause_seconds", sum(of, "gleaner.gc.pause", Statistic.TOTAL_TIME, null));
    f.put("longest_pause_seconds", longest(of));
    f.put("finalizers_run", sum(of, "gleaner.finalizers", Statistic.COUNT, "run"));
    f.put("runs_done", runs(of, "done"));
    f.put("runs_out_of_memory", runs(of, "out-of-memory"));
    f.put("runs_failed", runs(of, "failed"));
    return f;
  }

  private @Nullable Double gauge(LiveSubject of, String name) {
    return sum(of, name, Statistic.VALUE, null);
  }

  private @Nullable Double count(LiveSubject of, String name) {
    return sum(of, name, Statistic.COUNT, null);
  }

  private @Nullable Double runs(LiveSubject of, String outcome) {
    return sum(of, CollectorLoop.RUNS, Statistic.COUNT, outcome);
  }

  private @Nullable Double sum(
      LiveSubject of, String name, Statistic statistic, @Nullable String outcome) {
    Double sum = null;
    for (Meter meter : registry.find(name).tag(of.tag(), of.value()).meters()) {
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
  private @Nullable Double longest(LiveSubject of) {
    Double longest = null;
    for (Meter meter : registry.find("gleaner.gc.pause").tag(of.tag(), of.value()).meters()) {
      for (Measurement measurement : meter.measure()) {
        if (measurement.getStatistic() == Statistic.MAX) {
          longest = Math.max(longest == null ? 0 : longest, measurement.getValue());
        }
      }
    }
    return longest;
  }
}
