package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apiguardian.api.API;

/**
 * The meters of one heap, for any number of Micrometer registries.
 *
 * <p>Every meter has the tags {@code heap} and {@code collector}; then some have {@code cause},
 * {@code mode}, {@code kind} or {@code outcome}. The tag keys are the same under every collector. A
 * figure that a collector does not have is absent, not 0.
 *
 * <p>Figures come from two places. The heap counts in plain fields, which the meters read through
 * {@link Heap#snapshot} whenever a registry asks, from any thread: an operation on the heap costs
 * no more with meters than without. What belongs to single collections (the pause timer,
 * collections by cause) comes from a {@link HeapListener}, and so covers the collections since this
 * object was made:
 *
 * <pre>
 *   heap's thread:     collection -> listener -> Timer.record, Tally.collections
 *   registry's thread: meter -> Heap.snapshot(), Tally.collections
 * </pre>
 *
 * <p>A pause is recorded without percentiles; a registry that should have some says so with a
 * {@code MeterFilter} for {@code gleaner.gc.pause}.
 *
 * <p>Registries hold the heap weakly. {@link #close} takes all meters out of them; figures stay
 * readable between the closing of the heap and that of its meters.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class HeapMetrics implements MeterBinder, AutoCloseable {

  /** The finished collections of one cause. */
  private static final class Tally {
    final String cause;
    volatile long collections;

    Tally(String cause) {
      this.cause = cause;
    }
  }

  /**
   * What pauses have in common that go to one timer.
   *
   * @param first whether its cause was not seen in another mode before
   */
  private record Pause(Tally tally, String mode, boolean first) {}

  /** The meters in one registry; {@code timers} in the order of {@link #pauses}. */
  private static final class Binding {
    final MeterRegistry registry;
    final List<Meter> meters = new ArrayList<>();
    final List<Timer> timers = new ArrayList<>();

    Binding(MeterRegistry registry) {
      this.registry = registry;
    }
  }

  private final Heap heap;
  private final Tags tags;
  private final HeapListener listener = new Listener();
  private final List<Pause> pauses = new ArrayList<>();
  private final List<Binding> bindings = new ArrayList<>();
  private boolean closed;

  /**
   * Starts to watch a heap; on the heap's thread.
   *
   * @param heap an open heap whose name no other one has in the same registry
   */
  public HeapMetrics(Heap heap) {
    this.heap = heap;
    this.tags = Tags.of("heap", heap.name(), "collector", heap.collector());
    heap.addListener(listener);
  }

  /**
   * Registers the meters; from any thread. Binding to the same registry again does nothing.
   *
   * @throws IllegalStateException if these meters are closed, or if the registry has those of
   *     another heap of this name and collector: it would drop ours in silence
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      throw new IllegalStateException("the meters of heap " + heap.name() + " are closed");
    }
    for (Binding binding : bindings) {
      if (binding.registry.equals(registry)) {
        return;
      }
    }
    if (registry.find(HeapFigures.USED).tags(tags).meter() != null) {
      throw new IllegalStateException(
          "this registry already has meters of a heap named "
              + heap.name()
              + "; open heaps under names of their own, or close the meters of the other one");
    }
    Binding binding = new Binding(registry);
    new HeapFigures(heap, tags, registry, binding.meters).register();
    pauses.forEach(pause -> add(binding, pause));
    bindings.add(binding);
  }

  /**
   * Takes the meters out of all registries and stops to watch the heap. On the heap's thread, or
   * once the heap is closed. Closing again does nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    heap.removeListener(listener);
    closed = true;
    for (Binding binding : bindings) {
      binding.meters.forEach(binding.registry::remove);
    }
    bindings.clear();
  }

  private void add(Binding b, Pause pause) {
    Tags cause = tags.and("cause", pause.tally.cause);
    if (pause.first) {
      b.meters.add(
          FunctionCounter.builder("gleaner.collections", pause.tally, t -> t.collections)
              .baseUnit("collections")
              .description("Finished collections, an incremental one when it ends")
              .tags(cause)
              .register(b.registry));
    }
    Timer timer =
        Timer.builder("gleaner.gc.pause")
            .description("How long the program stood still for a collection, or a slice of one")
            .tags(cause.and("mode", pause.mode))
            .register(b.registry);
    b.meters.add(timer);
    b.timers.add(timer);
  }

  private synchronized void record(CollectionEvent event) {
    int at = index(event.cause(), event.mode());
    if (event.collectionFinished()) {
      Tally tally = pauses.get(at).tally;
      tally.collections = tally.collections + 1;
    }
    for (int i = 0; i < bindings.size(); i++) {
      bindings.get(i).timers.get(at).record(event.pauseNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private int index(String cause, String mode) {
    Tally tally = null;
    for (int i = 0; i < pauses.size(); i++) {
      Pause pause = pauses.get(i);
      if (pause.tally.cause.equals(cause)) {
        if (pause.mode.equals(mode)) {
          return i;
        }
        tally = pause.tally;
      }
    }
    Pause pause =
        tally == null ? new Pause(new Tally(cause), mode, true) : new Pause(tally, mode, false);
    pauses.add(pause);
    bindings.forEach(binding -> add(binding, pause));
    return pauses.size() - 1;
  }

  private final class Listener implements HeapListener {
    @Override
    public void collectionFinished(CollectionEvent event) {
      record(event);
    }
  }
}
