package dev.gleaner.metrics;

import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorTraits;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The meters that read a figure of {@link HeapStatistics}, with names, units and descriptions: of
 * one heap, or of all heaps of a factory.
 *
 * @param <S> what has the figures; registries hold it weakly
 */
class HeapFigures<S> {

  /** Registers a meter, and keeps it. */
  @FunctionalInterface
  interface Registrar {
    void add(Supplier<? extends Meter> registration);
  }

  private static final String ELEMENTS = "elements";

  private final S source;
  private final Function<S, HeapStatistics> read;
  private final CollectorTraits traits;
  private final boolean moves;

  /**
   * Makes them.
   *
   * @param moves whether there is a figure of what is moved
   */
  HeapFigures(S source, Function<S, HeapStatistics> read, CollectorTraits traits, boolean moves) {
    this.source = source;
    this.read = read;
    this.traits = traits;
    this.moves = moves;
  }

  /** Returns those of many heaps, and how many there are. */
  static HeapFigures<HeapTotals> ofMany(HeapTotals totals, CollectorTraits traits) {
    return new HeapFigures<>(
        totals, HeapTotals::statistics, traits, traits.has(Capability.MOVING)) {
      @Override
      void register(MeterRegistry registry, Tags tags, Registrar meters) {
        super.register(registry, tags, meters);
        meters.add(() ->
            Gauge.builder("gleaner.heaps", totals, HeapTotals::open)
                .baseUnit("heaps")
                .description("Open heaps")
                .tags(tags)
                .register(registry));
        meters.add(() ->
            FunctionCounter.builder("gleaner.heaps.opened", totals, HeapTotals::opened)
                .baseUnit("heaps")
                .description("Heaps opened, closed ones included")
                .tags(tags)
                .register(registry));
      }
    };
  }

  /** Registers them through a registrar. */
  void register(MeterRegistry registry, Tags tags, Registrar meters) {
    new Registration(registry, tags, meters).all();
  }

  /**
   * Reads a figure that never falls, though another thread changes the fields that it is made of.
   * The figure is the lower of two readings, and no less than the figure before. So one reading
   * that is too high does not stay for ever, and one that is too low does not show.
   */
  private static final class Rising<S> implements ToDoubleFunction<S> {
    private final ToDoubleFunction<S> figure;
    private double most;

    Rising(ToDoubleFunction<S> figure) {
      this.figure = figure;
    }

    @Override
    public synchronized double applyAsDouble(S source) {
      double first = figure.applyAsDouble(source);
      most = Math.max(most, Math.min(first, figure.applyAsDouble(source)));
      return most;
    }
  }

  /** Holds no source: what a registry holds would keep it alive. */
  private ToDoubleFunction<S> of(ToLongFunction<HeapStatistics> figure) {
    Function<S, HeapStatistics> reader = read;
    return s -> figure.applyAsLong(reader.apply(s));
  }

  private final class Registration {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Registrar meters;

    Registration(MeterRegistry registry, Tags tags, Registrar meters) {
      this.registry = registry;
      this.tags = tags;
      this.meters = meters;
    }

    void all() {
      memory();
      elements();
      collections();
    }

    private void memory() {
      bytes(
          "gleaner.memory.used",
          "In use: elements, blocks, external bytes",
          HeapStatistics::usedBytes);
      bytes(
          "gleaner.memory.peak",
          "The most that was in use; of several heaps, in the largest one",
          HeapStatistics::peakBytes);
      bytes("gleaner.memory.committed", "Taken from the system", HeapStatistics::committedBytes);
      bytes("gleaner.memory.max", "The limit of what is in use", HeapStatistics::maxBytes);
      bytes(
          "gleaner.memory.live.after.gc",
          "In use after the last collection",
          HeapStatistics::liveAfterBytes);
      bytes(
          "gleaner.memory.external",
          "Outside: reserved by the host, and for heirs of finalizers",
          HeapStatistics::externalBytes);
    }

    private void elements() {
      counter(
          "gleaner.allocated.bytes",
          BaseUnits.BYTES,
          "Allocated for elements",
          HeapStatistics::allocatedBytes);
      counter(
          "gleaner.allocated.elements",
          ELEMENTS,
          "Allocated, strings included",
          HeapStatistics::allocatedElements);
      for (Kind kind : Kind.values()) {
        if (kind != Kind.STRING) { // those have a meter of their own
          gauge(
              "gleaner.live",
              ELEMENTS,
              "Allocated and not reclaimed, with garbage that is not found yet",
              s -> s.live(kind),
              Tag.of("kind", kind.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        }
      }
      gauge("gleaner.strings", "strings", "In the string table", HeapStatistics::strings);
      gauge(
          "gleaner.stack.depth",
          "frames",
          "On the current thread; of several heaps, the deepest",
          HeapStatistics::frameDepth);
    }

    private void collections() {
      counter(
          "gleaner.gc.reclaimed.bytes",
          BaseUnits.BYTES,
          "Of elements reclaimed, and of what they owned",
          HeapStatistics::reclaimedBytes);
      counter(
          "gleaner.gc.reclaimed.elements",
          ELEMENTS,
          "Reclaimed, strings included",
          HeapStatistics::reclaimedElements);
      if (traits.has(Capability.PROMPT)) {
        counter(
            "gleaner.gc.refzero",
            ELEMENTS,
            "Reclaimed when their last reference was dropped",
            HeapStatistics::refzeroElements);
        if (!traits.has(Capability.CYCLES)) {
          gauge(
              "gleaner.leaked",
              ELEMENTS,
              "Nothing reaches them, nothing reclaims them; as of the last collection",
              HeapStatistics::leakedElements);
        }
      }
      if (moves) {
        counter(
            "gleaner.gc.moved", ELEMENTS, "Copied to another place", HeapStatistics::movedElements);
      }
      finalizers("run", HeapStatistics::finalizersRun);
      finalizers("rescued", HeapStatistics::finalizersRescued);
      finalizers("failed", HeapStatistics::finalizersFailed);
      counter(
          "gleaner.callbacks",
          "callbacks",
          "On-free callbacks and listeners that threw (failed)",
          HeapStatistics::callbacksFailed,
          Tag.of("outcome", "failed"));
      counter(
          "gleaner.weak.cleared",
          "references",
          "Weak references cleared",
          HeapStatistics::weakCleared);
      if (traits.has(Capability.INCREMENTAL)) {
        counter(
            "gleaner.incremental.steps",
            "steps",
            "Slices of incremental collections",
            HeapStatistics::steps);
      }
    }

    private void finalizers(String outcome, ToLongFunction<HeapStatistics> figure) {
      counter(
          "gleaner.finalizers",
          "finalizers",
          "Called (run), and of those: element rescued, finalizer failed",
          figure,
          Tag.of("outcome", outcome));
    }

    private void bytes(String name, String text, ToLongFunction<HeapStatistics> figure) {
      gauge(name, BaseUnits.BYTES, text, figure);
    }

    private void gauge(
        String name, String unit, String text, ToLongFunction<HeapStatistics> figure, Tag... more) {
      meters.add(() ->
          Gauge.builder(name, source, of(figure))
              .baseUnit(unit)
              .description(text)
              .tags(tags.and(more))
              .register(registry));
    }

    private void counter(
        String name, String unit, String text, ToLongFunction<HeapStatistics> figure, Tag... more) {
      meters.add(() ->
          FunctionCounter.builder(name, source, new Rising<>(of(figure)))
              .baseUnit(unit)
              .description(text)
              .tags(tags.and(more))
              .register(registry));
    }
  }
}
