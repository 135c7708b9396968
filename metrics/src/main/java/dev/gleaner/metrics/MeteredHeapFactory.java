package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorTraits;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.LongSupplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A factory whose heaps share one set of meters, however many they are: ten thousand heaps have as
 * many time series as one.
 *
 * <p>The meters have the names of {@link HeapMetrics}, without the tag {@code heap}; besides there
 * are {@code gleaner.heaps}, the heaps that are open, and {@code gleaner.heaps.opened}, those that
 * ever were. Counters, pauses and collections go on when heaps are closed. What is in use is the
 * sum over all open heaps; the peak and the depth of the stack are those of the heap that has the
 * most.
 *
 * <p>Safe for use by several Java threads. A scrape of the registry reads the figures of each open
 * heap once.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class MeteredHeapFactory implements HeapFactory, MeterBinder, AutoCloseable {

  private final HeapFactory heaps;
  private final HeapTotals totals;
  private final HeapListener listener = new Listener();
  private final MeterSet meters;

  /**
   * Watches the heaps that are opened from now on, through this.
   *
   * @param heaps opens them
   * @param more tags of all meters, besides {@code collector}; another factory of the same
   *     collector in the same registry needs others
   */
  public MeteredHeapFactory(HeapFactory heaps, Iterable<Tag> more) {
    this(heaps, more, System::nanoTime);
  }

  MeteredHeapFactory(HeapFactory heaps, Iterable<Tag> more, LongSupplier nanoTime) {
    this.heaps = heaps;
    this.totals = new HeapTotals(nanoTime);
    this.meters =
        new MeterSet(
            "heaps under " + heaps.collector(),
            Tags.of(more).and("collector", heaps.collector()),
            HeapFigures.ofMany(totals, heaps.traits()));
  }

  /**
   * Registers the meters; from any thread. Binding to the same registry again does nothing.
   *
   * @throws IllegalStateException if these meters are closed, or if the registry would drop some in
   *     silence, as those of another factory with the same tags
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    meters.bindTo(registry);
  }

  @Override
  public Heap open() {
    return watch(heaps.open());
  }

  @Override
  public Heap open(String name) {
    return watch(heaps.open(name));
  }

  @Override
  public Heap open(String name, @Nullable AllocationFunctionsFactory functions) {
    return watch(heaps.open(name, functions));
  }

  @Override
  public Heap open(HeapImage image, ImageBindings bindings) {
    return watch(heaps.open(image, bindings));
  }

  @Override
  public Heap open(String name, HeapImage image, ImageBindings bindings) {
    return watch(heaps.open(name, image, bindings));
  }

  private Heap watch(Heap heap) {
    heap.addListener(listener);
    totals.add(heap);
    return heap;
  }

  @Override
  public String collector() {
    return heaps.collector();
  }

  @Override
  public CollectorTraits traits() {
    return heaps.traits();
  }

  @Override
  public HeapSettings settings() {
    return heaps.settings();
  }

  /** Takes the meters out of all registries; heaps stay open. Closing again does nothing. */
  @Override
  public void close() {
    boolean _ = meters.close();
  }

  @Override
  public String toString() {
    return heaps + ", metered";
  }

  private final class Listener implements HeapListener {
    @Override
    public void collectionFinished(CollectionEvent event) {
      meters.record(event);
    }

    @Override
    public void paused(CollectionEvent event) {
      meters.record(event);
    }

    @Override
    public void heapClosed(Heap heap) {
      totals.remove(heap);
    }
  }
}
