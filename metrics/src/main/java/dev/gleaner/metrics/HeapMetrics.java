package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import org.apiguardian.api.API;

/**
 * The meters of one heap, for any number of Micrometer registries. For many heaps there is {@link
 * MeteredHeapFactory}, whose meters are sums.
 *
 * <p>Every meter has the tags {@code heap} and {@code collector}; then some have {@code cause},
 * {@code action} (full, minor or slice), {@code kind} or {@code outcome}. The tag keys are the same
 * under every collector. A figure that a collector does not have is absent, not 0.
 *
 * <p>Figures come from two places. The heap counts in plain fields, which the meters read through
 * {@link Heap#snapshot} whenever a registry asks, from any thread: an operation on the heap costs
 * no more with meters than without. What belongs to single collections (the pause timer,
 * collections by cause) comes from a {@link HeapListener}, and so covers the collections since this
 * object was made.
 *
 * <p>A pause is recorded without percentiles; a registry that should have some says so with a
 * {@code MeterFilter} for {@code gleaner.gc.pause}.
 *
 * <p>Registries hold the heap weakly. {@link #close} takes all meters out of them; figures stay
 * readable between the closing of the heap and that of its meters.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class HeapMetrics implements MeterBinder, AutoCloseable {

  private final Heap heap;
  private final HeapListener listener = new Listener();
  private final MeterSet meters;

  /**
   * Starts to watch a heap; on the heap's thread.
   *
   * @param heap an open heap whose name no other one has in the same registry
   */
  public HeapMetrics(Heap heap) {
    this(heap, List.of());
  }

  /**
   * Starts to watch a heap, with more tags; on the heap's thread.
   *
   * @param heap an open heap; no other one has its name and these tags in the same registry
   * @param more tags of all its meters, besides those that they have anyhow
   */
  public HeapMetrics(Heap heap, Iterable<Tag> more) {
    this.heap = heap;
    this.meters =
        new MeterSet(
            "heap " + heap.name(),
            Tags.of(more).and("heap", heap.name(), "collector", heap.collector()),
            new HeapFigures<>(
                heap, Heap::snapshot, heap.traits(), heap.snapshot().movedElements() >= 0));
    heap.addListener(listener);
  }

  /**
   * Registers the meters; from any thread. Binding to the same registry again does nothing, but for
   * a registry that was cleared: what it lost is registered anew, with timers that begin at 0.
   *
   * @throws IllegalStateException if these meters are closed, or if the registry would drop some in
   *     silence: the filters of the registry make them equal to those of another heap, as one of
   *     the same name and collector has, or Prometheus has meters with other tag keys
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    meters.bindTo(registry);
  }

  /**
   * Takes the meters out of all registries and stops to watch the heap. On the heap's thread, or
   * once the heap is closed. Closing again does nothing.
   */
  @Override
  public void close() {
    if (meters.close()) {
      heap.removeListener(listener);
    }
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
  }
}
