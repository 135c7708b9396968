package dev.gleaner.kit.oracle;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.spi.Capability;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Compares every meter that a heap registers with what the model has counted, or was told by the
 * events of collections. A meter that has no rule here is a failure.
 *
 * <p>Most figures are known exactly. Bytes are known up to what a collector rounds an element to,
 * and some figures are bounded where the rules of the collector are not exact (see {@link Twin}):
 *
 * <pre>
 *   allocated - live = reclaimed = in collections + at the last drop      (elements)
 *   payloads that live + blocks + external &lt;= used &lt;= peak &lt;= max         (bytes)
 * </pre>
 */
final class MeterComparison implements HeapListener {
  /** What an element may take beyond its payload, without what size classes add. */
  private static final long MOST_OVERHEAD = 160;

  /** Bytes of pages of which only a part is used, each by elements of a kind and size. */
  private static final long MOST_IN_PARTS = 64 << 10;

  private static final Set<String> OF_COLLECTIONS =
      Set.of("gleaner.collections", "gleaner.gc.pause");

  /** What a figure must be: between these, both included. */
  private record Range(double least, double most) {
    static Range exactly(long value) {
      return new Range((double) value, (double) value);
    }

    static Range atLeast(long value) {
      return new Range((double) value, Double.MAX_VALUE);
    }

    boolean contains(double value) {
      return least <= value && value <= most;
    }
  }

  /** The pauses of one cause and mode. */
  private static final class Pauses {
    long count;
    long nanos;
    long longest;
  }

  private final Heap heap;
  private final ShadowHeap shadow;
  private final boolean exact;
  private final long limit;
  private final MeterRegistry registry;
  private final HeapMetrics metrics;
  private final Map<String, Pauses> pauses = new HashMap<>();
  private final Map<String, Long> collections = new HashMap<>();

  /** What counters said last: none goes back. */
  private final Map<Meter.Id, Double> counted = new HashMap<>();

  private long collectedElements;
  private long collectedBytes;
  private long liveAfter;
  private long mostUsed;
  private long mostMoved;
  private long slices;

  /** Whether the heap was opened from an image, which nobody has told of. */
  private final boolean off;

  /** Calls of finalizers before the operation that is under way. */
  private long callsBefore;

  /** Reclaimed in collections during which finalizers may have run, whose own drops count twice. */
  private long perhapsTwice;

  /** Collections that the program asked for. */
  long explicit;

  /** Elements that operations made which failed afterwards: the model does not know them. */
  private long orphans;

  /**
   * Binds the meters of a heap that was just opened.
   *
   * @param limit of the heap, in bytes
   * @param registry an empty one
   * @param off whether nothing is compared
   */
  MeterComparison(
      Heap heap,
      ShadowHeap shadow,
      boolean exact,
      long limit,
      MeterRegistry registry,
      boolean off) {
    this.off = off;
    this.heap = heap;
    this.shadow = shadow;
    this.exact = exact;
    this.limit = limit;
    this.registry = registry;
    metrics = new HeapMetrics(heap);
    metrics.bindTo(registry);
    heap.addListener(this);
  }

  @Override
  public void paused(CollectionEvent event) {
    Pauses p = pauses.computeIfAbsent(event.cause() + " " + event.mode(), key -> new Pauses());
    p.count++;
    p.nanos += event.pauseNanos();
    p.longest = Math.max(p.longest, event.pauseNanos());
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    paused(event);
    slices += event.mode() == Mode.SLICE ? 1 : 0;
    mostUsed = Math.max(mostUsed, event.usedBefore());
    collectedElements += event.reclaimedElements();
    perhapsTwice += shadow.finalizers.calls > callsBefore ? event.reclaimedElements() : 0;
    collectedBytes += Math.max(0, event.usedBefore() - event.usedAfter());
    if (event.collectionFinished()) {
      collections.merge(event.cause().text(), 1L, Long::sum);
      liveAfter = event.usedAfter();
      HeapStatistics left = heap.snapshot();
      mostMoved += left.liveElements() + left.strings() + left.live(Kind.INTEGER);
    }
  }

  /** An operation has failed: what it made before that is nobody's. */
  void forgive() {
    orphans = heap.snapshot().allocatedElements() - shadow.made();
    if (orphans < 0) {
      throw new AssertionError(-orphans + " elements are missing in " + heap.snapshot());
    }
  }

  /** Compares all meters of an open heap, when nothing is due any more. */
  void compare() {
    if (off) {
      return;
    }
    callsBefore = shadow.finalizers.calls;
    mostUsed = Math.max(mostUsed, heap.statistics().usedBytes());
    for (Meter meter : registry.getMeters()) {
      for (Measurement measurement : meter.measure()) {
        compare(meter.getId(), measurement);
      }
    }
  }

  /** Compares what is left to read when the heap is closed, and takes the meters away. */
  void compareClosed() {
    for (Meter meter : off ? List.<Meter>of() : registry.getMeters()) {
      Meter.Id id = meter.getId();
      if (OF_COLLECTIONS.contains(id.getName())) { // closing collects
        meter.measure().forEach(m -> compare(id, m));
        continue;
      }
      double value = meter.measure().iterator().next().getValue();
      double expected =
          switch (id.getName()) {
            case "gleaner.memory.used",
                "gleaner.memory.committed",
                "gleaner.memory.external",
                "gleaner.live",
                "gleaner.strings" ->
                0;
            case "gleaner.gc.reclaimed.elements" -> heap.snapshot().allocatedElements();
            default -> value;
          };
      if (value != expected) {
        throw new AssertionError("closed, but " + id + " is " + value);
      }
    }
    metrics.close();
    if (!registry.getMeters().isEmpty()) {
      throw new AssertionError("closed, but there is " + registry.getMeters());
    }
    registry.close();
  }

  private void compare(Meter.Id id, Measurement measurement) {
    if (measurement.getStatistic() == Statistic.COUNT) {
      Double before = counted.put(id, measurement.getValue());
      if (before != null && measurement.getValue() < before) {
        throw new AssertionError(id + " fell from " + before + " to " + measurement.getValue());
      }
    }
    Range range = expected(id, measurement.getStatistic());
    if (!range.contains(measurement.getValue())) {
      throw new AssertionError(
          "%s, %s of %s: %s, expected %s to %s; %s"
              .formatted(
                  id.getName(),
                  measurement.getStatistic(),
                  id.getTags(),
                  measurement.getValue(),
                  range.least(),
                  range.most(),
                  heap.snapshot()));
    }
  }

  private Range expected(Meter.Id id, Statistic statistic) {
    return switch (id.getName()) {
      case "gleaner.memory.used" -> used();
      case "gleaner.memory.peak" -> new Range(mostUsed, limit);
      case "gleaner.memory.committed" -> committed();
      case "gleaner.memory.max" -> Range.exactly(limit);
      case "gleaner.memory.live.after.gc" -> Range.exactly(liveAfter);
      case "gleaner.memory.external" -> Range.exactly(shadow.external());
      case "gleaner.allocated.bytes" -> allocatedBytes();
      case "gleaner.allocated.elements" -> Range.exactly(shadow.made() + orphans);
      case "gleaner.live" -> Range.exactly(shadow.count(kind(id)));
      case "gleaner.strings" -> Range.exactly(shadow.count(Kind.STRING));
      case "gleaner.stack.depth" -> Range.exactly(shadow.thread().depth());
      case "gleaner.gc.reclaimed.bytes" -> reclaimedBytes();
      case "gleaner.gc.reclaimed.elements" -> Range.exactly(reclaimed());
      case "gleaner.gc.moved" -> moved();
      case "gleaner.gc.refzero" -> refzero();
      case "gleaner.leaked" -> leaked();
      case "gleaner.finalizers" -> finalizers(tag(id, "outcome"));
      case "gleaner.callbacks" -> Range.exactly(shadow.callbacksFailed);
      case "gleaner.weak.cleared" -> Range.exactly(shadow.weakCleared);
      case "gleaner.incremental.steps" -> Range.exactly(slices);
      case "gleaner.collections" -> collections(tag(id, "cause"));
      case "gleaner.gc.pause" -> pause(tag(id, "cause") + " " + tag(id, "action"), statistic);
      default -> throw new AssertionError("no rule for the meter " + id);
    };
  }

  private static String tag(Meter.Id id, String key) {
    String value = id.getTag(key);
    if (value == null) {
      throw new AssertionError(id + " has no " + key);
    }
    return value;
  }

  private static Kind kind(Meter.Id id) {
    return Kind.valueOf(tag(id, "kind").toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  private Range used() {
    long payloads = shadow.elements.stream().mapToLong(ShadowElement::leastBytes).sum();
    return new Range(payloads + shadow.blockBytes + shadow.external(), heap.snapshot().peakBytes());
  }

  /**
   * What is used is taken from the system; beyond, what is copied, and what was given back since
   * the last collection.
   */
  private Range committed() {
    long least = heap.snapshot().usedBytes() - shadow.external();
    return new Range(least, 4.0 * limit + MOST_IN_PARTS);
  }

  private Range allocatedBytes() {
    long least = shadow.madeBytes();
    return new Range(least, least * 5 / 4.0 + MOST_OVERHEAD * (shadow.made() + orphans));
  }

  private long reclaimed() {
    return shadow.made() + orphans - shadow.elements.size();
  }

  private Range reclaimedBytes() {
    boolean early = has(Capability.PROMPT) || has(Capability.FRAMES);
    return early ? Range.atLeast(collectedBytes) : Range.exactly(collectedBytes);
  }

  /** A collection moves what it leaves at most; with their frames, elements move at any time. */
  private Range moved() {
    return has(Capability.FRAMES) ? Range.atLeast(0) : new Range(0, mostMoved);
  }

  private Range refzero() {
    long least = reclaimed() - collectedElements;
    return new Range(least, least + perhapsTwice);
  }

  private Range leaked() {
    int elements = shadow.elements.size();
    return new Range(
        elements - shadow.reachable(false, false).size(),
        elements - shadow.reachable(false).size());
  }

  private Range finalizers(String outcome) {
    ShadowFinalizers f = shadow.finalizers;
    return switch (outcome) {
      case "run" -> Range.exactly(f.calls);
      case "failed" -> Range.exactly(f.failed);
      case "rescued" -> exact ? Range.exactly(f.rescued) : new Range(0, f.calls);
      default -> throw new AssertionError("no rule for the outcome " + outcome);
    };
  }

  private Range collections(String cause) {
    long told = collections.getOrDefault(cause, 0L);
    if (cause.equals("explicit") && told != explicit) {
      throw new AssertionError(explicit + " collections were asked for, " + told + " came");
    }
    return Range.exactly(told);
  }

  private Range pause(String causeAndMode, Statistic statistic) {
    Pauses p = pauses.getOrDefault(causeAndMode, new Pauses());
    return switch (statistic) {
      case COUNT -> Range.exactly(p.count);
      case TOTAL_TIME -> new Range((p.nanos - p.count) / 1e9, (p.nanos + p.count) / 1e9);
      case MAX -> new Range(0, (p.longest + 1) / 1e9); // of the last minutes
      default -> throw new AssertionError("no rule for " + statistic);
    };
  }

  private boolean has(Capability capability) {
    return heap.traits().has(capability);
  }
}
