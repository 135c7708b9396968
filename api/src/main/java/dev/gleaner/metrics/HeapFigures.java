package dev.gleaner.metrics;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.Capability;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The meters that read a figure of {@link HeapStatistics}, with names, units and descriptions. */
final class HeapFigures {

  /** A meter that every heap has. */
  static final String USED = "gleaner.memory.used";

  private static final String ELEMENTS = "elements";

  private final Heap heap;
  private final Tags tags;
  private final MeterRegistry registry;
  private final List<Meter> meters;

  HeapFigures(Heap heap, Tags tags, MeterRegistry registry, List<Meter> meters) {
    this.heap = heap;
    this.tags = tags;
    this.registry = registry;
    this.meters = meters;
  }

  void register() {
    memory();
    elements();
    collections();
  }

  private void memory() {
    bytes(USED, "In use: elements, blocks, external bytes", HeapStatistics::usedBytes);
    bytes("gleaner.memory.peak", "The most that was in use", HeapStatistics::peakBytes);
    bytes("gleaner.memory.committed", "Taken from the system", HeapStatistics::committedBytes);
    bytes("gleaner.memory.max", "The limit of what is in use", HeapStatistics::maxBytes);
    bytes(
        "gleaner.memory.live.after.gc",
        "In use after the last collection",
        HeapStatistics::liveAfterBytes);
    bytes(
        "gleaner.memory.external",
        "Reserved by the host for memory of its own",
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
            "gleaner.elements.live",
            ELEMENTS,
            "Allocated and not reclaimed, with garbage that is not found yet",
            s -> s.live(kind),
            Tag.of("kind", kind.name().toLowerCase(Locale.ROOT).replace('_', '-')));
      }
    }
    gauge("gleaner.strings", "strings", "In the string table", HeapStatistics::strings);
    gauge("gleaner.frames.depth", "frames", "On the current thread", HeapStatistics::frameDepth);
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
    if (heap.traits().has(Capability.PROMPT)) {
      counter(
          "gleaner.gc.refzero",
          ELEMENTS,
          "Reclaimed when their last reference was dropped",
          HeapStatistics::refzeroElements);
      if (!heap.traits().has(Capability.CYCLES)) {
        gauge(
            "gleaner.leaked",
            ELEMENTS,
            "Nothing reaches them, nothing reclaims them; as of the last collection",
            HeapStatistics::leakedElements);
      }
    }
    if (heap.snapshot().movedElements() >= 0) {
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
    if (heap.traits().has(Capability.INCREMENTAL)) {
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
    meters.add(
        Gauge.builder(name, heap, h -> figure.applyAsLong(h.snapshot()))
            .baseUnit(unit)
            .description(text)
            .tags(tags.and(more))
            .register(registry));
  }

  private void counter(
      String name, String unit, String text, ToLongFunction<HeapStatistics> figure, Tag... more) {
    meters.add(
        FunctionCounter.builder(name, heap, h -> figure.applyAsLong(h.snapshot()))
            .baseUnit(unit)
            .description(text)
            .tags(tags.and(more))
            .register(registry));
  }
}
