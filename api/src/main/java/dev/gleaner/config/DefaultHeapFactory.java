package dev.gleaner.config;

import dev.gleaner.heap.AllocationFunctionsFactory;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.metrics.FlightRecorderEvents;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Opens heaps. All that can be decided once is decided before: opening only constructs. */
final class DefaultHeapFactory implements HeapFactory {

  /** Over all factories, since names tag meters. */
  private static final AtomicLong OPENED = new AtomicLong();

  private final HeapSettings settings;
  private final CollectorTraits traits;
  private final CollectorFactory collectors;

  DefaultHeapFactory(HeapSettings settings, CollectorTraits traits, CollectorFactory collectors) {
    this.settings = settings;
    this.traits = traits;
    this.collectors = collectors;
  }

  @Override
  public Heap open() {
    return open("heap-" + OPENED.incrementAndGet());
  }

  @Override
  public Heap open(String name) {
    return open(name, null);
  }

  @Override
  public Heap open(String name, @Nullable AllocationFunctionsFactory functions) {
    Objects.requireNonNull(name, "name");
    Heap heap = Heap.open(name, settings, settings.collector(), traits, collectors, functions);
    if (FlightRecorderEvents.isRecorderOn()) {
      heap.addListener(FlightRecorderEvents.LISTENER);
    }
    return heap;
  }

  @Override
  public String collector() {
    return settings.collector();
  }

  @Override
  public CollectorTraits traits() {
    return traits;
  }

  HeapSettings settings() {
    return settings;
  }

  @Override
  public String toString() {
    return "heaps under " + settings.collector();
  }
}
