package dev.gleaner.lab.measure;

import dev.gleaner.heap.Heap;
import dev.gleaner.metrics.HeapMetrics;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one heap, read the way any user of the library can read them. A figure that is
 * spread over several meters, such as collections by cause, is their sum.
 */
final class Meters implements AutoCloseable {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final HeapMetrics metrics;

  Meters(Heap heap) {
    metrics = new HeapMetrics(heap);
    metrics.bindTo(registry);
  }

  void putInto(Map<Figure, Double> figures) {
    put(figures, Figure.ALLOCATED_BYTES, sum("gleaner.allocated.bytes", Statistic.COUNT));
    put(figures, Figure.ALLOCATED_ELEMENTS, sum("gleaner.allocated.elements", Statistic.COUNT));
    put(figures, Figure.COLLECTIONS, sum("gleaner.collections", Statistic.COUNT));
    put(figures, Figure.PAUSE_SECONDS_TOTAL, sum("gleaner.gc.pause", Statistic.TOTAL_TIME));
    put(figures, Figure.PEAK_USED_BYTES, sum("gleaner.memory.peak", Statistic.VALUE));
    put(figures, Figure.RECLAIMED_ELEMENTS, sum("gleaner.gc.reclaimed.elements", Statistic.COUNT));
    put(figures, Figure.MOVED_ELEMENTS, sum("gleaner.gc.moved", Statistic.COUNT));
    put(
        figures,
        Figure.FINALIZERS_RUN,
        sum("gleaner.finalizers", Statistic.COUNT, "outcome", "run"));
  }

  /** Returns the elements there that are threads, the heap's own included. */
  double threads() {
    return orZero(sum("gleaner.live", Statistic.VALUE, "kind", "thread"));
  }

  /** Returns the elements there that are natives. */
  double natives() {
    return orZero(sum("gleaner.live", Statistic.VALUE, "kind", "native"));
  }

  /** Returns the bytes in use. */
  double usedBytes() {
    return orZero(sum("gleaner.memory.used", Statistic.VALUE));
  }

  /** Returns the elements there, strings included. */
  double elements() {
    return orZero(sum("gleaner.live", Statistic.VALUE))
        + orZero(sum("gleaner.strings", Statistic.VALUE));
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }

  private static void put(Map<Figure, Double> figures, Figure figure, @Nullable Double value) {
    if (value != null) {
      figures.put(figure, value);
    }
  }

  private @Nullable Double sum(String name, Statistic statistic, String... tag) {
    Double sum = null;
    for (Meter meter : registry.getMeters()) {
      Meter.Id id = meter.getId();
      if (!id.getName().equals(name) || (tag.length > 0 && !tag[1].equals(id.getTag(tag[0])))) {
        continue;
      }
      for (Measurement measurement : meter.measure()) {
        if (measurement.getStatistic() == statistic) {
          sum = orZero(sum) + measurement.getValue();
        }
      }
    }
    return sum;
  }

  @Override
  public void close() {
    metrics.close();
    registry.close();
  }
}
