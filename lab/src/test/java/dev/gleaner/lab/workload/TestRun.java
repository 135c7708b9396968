package dev.gleaner.lab.workload;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A run that keeps what the workload reports; with a collector, or without one for baselines. */
final class TestRun implements Run, AutoCloseable {
  final Map<String, Double> extras = new LinkedHashMap<>();
  final Parameters parameters;
  double progress;
  int measured;
  int leftOut;
  private final @Nullable HeapFactory factory;
  private @Nullable Heap heap;

  TestRun(Workload workload, Map<String, String> given) {
    this(workload, given, null);
  }

  TestRun(Workload workload, Map<String, String> given, @Nullable String collector) {
    this.parameters = Parameters.of(workload, given);
    this.factory = collector == null ? null : factory(collector);
  }

  private static HeapFactory factory(String collector) {
    Config config = ConfigFactory.parseMap(Map.of("gleaner.collector", collector));
    return Gleaner.factory(config.withFallback(ConfigFactory.load()));
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    if (heap == null) {
      heap = opening.apply(factory());
    }
    return heap;
  }

  @Override
  public HeapFactory factory() {
    if (factory == null) {
      throw new UnsupportedOperationException("a baseline has no heap");
    }
    return factory;
  }

  @Override
  public void extra(String name, double value) {
    extras.put(name, value);
  }

  @Override
  public void progress(double fraction) {
    if (!(fraction >= progress && fraction <= 1)) {
      throw new AssertionError("progress went from " + progress + " to " + fraction);
    }
    progress = fraction;
  }

  @Override
  public void leaveOut() {
    leftOut++;
  }

  @Override
  public void measure() {
    measured++;
  }

  @Override
  public void close() {
    if (heap != null) {
      heap.close();
    }
  }
}
