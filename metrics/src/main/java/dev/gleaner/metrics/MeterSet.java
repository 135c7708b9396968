package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The meters of one heap, or of all heaps of a factory, in any number of registries: the figures
 * that are read whenever a registry asks, and those of collections, which come as events.
 *
 * <pre>
 *   heap's thread:     collection -> record -> Timer.record, Tally.collections
 *   registry's thread: meter -> HeapStatistics, Tally.collections
 * </pre>
 */
final class MeterSet {

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
   * @param first whether its cause was not seen with another action before
   */
  private record Pause(Tally tally, String action, boolean first) {}

  /** The meters in one registry; {@code timers} in the order of {@link #pauses}. */
  private static final class Binding {
    final MeterRegistry registry;
    final MeterLedger ledger;
    final List<Meter> meters = new ArrayList<>();
    final List<String> problems = new ArrayList<>();
    final List<Timer> timers = new ArrayList<>();

    Binding(MeterRegistry registry) {
      this.registry = registry;
      this.ledger = MeterLedger.of(registry);
    }

    <M extends Meter> M add(Supplier<M> registration) {
      return ledger.register(registration, meters, problems);
    }

    void remove() {
      ledger.remove(registry, meters);
    }
  }

  private static final System.Logger LOGGER = System.getLogger("dev.gleaner.metrics");

  private final String name;
  private final Tags tags;
  private final HeapFigures<?> figures;
  private final List<Pause> pauses = new ArrayList<>();
  private final List<Binding> bindings = new ArrayList<>();
  private boolean closed;

  /**
   * Makes it, bound to nothing.
   *
   * @param name of what is measured, for messages
   */
  MeterSet(String name, Tags tags, HeapFigures<?> figures) {
    this.name = name;
    this.tags = tags;
    this.figures = figures;
  }

  synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      throw new IllegalStateException("the meters of " + name + " are closed");
    }
    for (Binding binding : List.copyOf(bindings)) {
      if (binding.registry.equals(registry)) {
        if (binding.ledger.isWhole(binding.meters)) {
          return;
        }
        binding.remove();
        bindings.remove(binding);
      }
    }
    Binding binding = new Binding(registry);
    boolean bound = false;
    try {
      figures.register(registry, tags, binding::add);
      pauses.forEach(pause -> add(binding, pause));
      bound = binding.problems.isEmpty();
    } finally {
      if (!bound) {
        binding.remove();
      }
    }
    if (!bound) {
      throw new IllegalStateException(
          "this registry cannot show the meters of %s, %s: %s; give heaps names of their own and tags of the same keys, keep these tags in filters, or close the meters of the other heap"
              .formatted(name, tags, binding.problems.getFirst()));
    }
    bindings.add(binding);
  }

  /** Takes all meters out of the registries; false if they were taken already. */
  synchronized boolean close() {
    boolean open = !closed;
    closed = true;
    for (Binding binding : bindings) {
      binding.remove();
    }
    bindings.clear();
    return open;
  }

  private void add(Binding b, Pause pause) {
    Tags cause = tags.and("cause", pause.tally.cause);
    if (pause.first) {
      FunctionCounter _ =
          b.add(() ->
              FunctionCounter.builder("gleaner.collections", pause.tally, t -> t.collections)
                  .baseUnit("collections")
                  .description("Finished collections, an incremental one when it ends")
                  .tags(cause)
                  .register(b.registry));
    }
    b.timers.add(
        b.add(() ->
            Timer.builder("gleaner.gc.pause")
                .description(
                    "How long the program stood still for a collection, a slice, or what a drop"
                        + " freed")
                .tags(cause.and("action", pause.action))
                .register(b.registry)));
  }

  synchronized void record(CollectionEvent event) {
    int at = index(event.cause().text(), event.mode().text());
    if (event.collectionFinished()) {
      Tally tally = pauses.get(at).tally;
      tally.collections = tally.collections + 1;
    }
    for (int i = 0; i < bindings.size(); i++) {
      bindings.get(i).timers.get(at).record(event.pauseNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private int index(String cause, String action) {
    Tally tally = null;
    for (int i = 0; i < pauses.size(); i++) {
      Pause pause = pauses.get(i);
      if (pause.tally.cause.equals(cause)) {
        if (pause.action.equals(action)) {
          return i;
        }
        tally = pause.tally;
      }
    }
    Pause pause =
        tally == null ? new Pause(new Tally(cause), action, true) : new Pause(tally, action, false);
    pauses.add(pause);
    for (Binding binding : bindings) {
      add(binding, pause);
      binding.problems.forEach(
          problem -> LOGGER.log(System.Logger.Level.WARNING, "meters of " + name + ": " + problem));
      binding.problems.clear();
    }
    return pauses.size() - 1;
  }
}
