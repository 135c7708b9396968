package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.Ephemerons;
import dev.gleaner.mark.Marker;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds what no root leads to, for collectors that cannot reclaim loops: how much, and what one is.
 *
 * <p>Marks what the roots reach; the bits for that are made when they are first needed.
 */
public final class LeakFinder implements AutoCloseable {
  private static final int LONGEST_SAMPLE = 1000;

  private final HeapContext context;
  private final Collector collector;
  private final Memory memory;
  private final Marker marker;
  private @Nullable MarkBits bits;
  private long elements;
  private long bytes;
  private long first;

  public LeakFinder(HeapContext context, Collector collector) {
    this.context = context;
    this.collector = collector;
    this.memory = context.memory();
    this.marker =
        new Marker(memory, context.regionBytes(), context.settings().mark().recursionLimit());
  }

  /** Returns the number of elements that no root leads to. */
  public long count() {
    find(null);
    return elements;
  }

  /** Returns the number of those that were counted last. */
  public long elements() {
    return elements;
  }

  /** Returns the bytes of those that were counted last. */
  public long bytes() {
    return bytes;
  }

  /**
   * Counts, and follows the references of what has leaked until they return: a loop.
   *
   * @return a text a step, around the loop to where it began; empty if nothing leaked, or if no
   *     loop was met
   */
  public List<String> sample() {
    List<String> steps = new ArrayList<>();
    find(steps);
    return steps;
  }

  private void find(@Nullable List<String> steps) {
    elements = 0;
    bytes = 0;
    first = 0;
    MarkBits b = bits == null ? new MarkBits(context.regionBytes(), memory.isReserved()) : bits;
    bits = b;
    if (!marker.start(b, context.raw())) {
      return;
    }
    context.builtins().forEach(marker::mark);
    context
        .roots()
        .forEachRoot(v -> {
          marker.mark(v);
          return v;
        });
    marker.drain();
    new Ephemerons(context).traceOnly(new MarkingTracer(b));
    collector.forEachElement(e -> add(b, e));
    if (steps != null) {
      loop(b, steps);
    }
  }

  private final class MarkingTracer implements DuktapeFinalizers.Tracer {
    private final MarkBits marks;

    MarkingTracer(MarkBits marks) {
      this.marks = marks;
    }

    @Override
    public boolean isReached(long element) {
      return marks.get(element);
    }

    @Override
    public void reach(long element) {
      marker.mark(element);
    }

    @Override
    public void drain() {
      marker.drain();
    }
  }

  @Override
  public void close() {
    marker.close();
    if (bits != null) {
      bits.close();
      bits = null;
    }
  }

  private void add(MarkBits marks, long e) {
    if (!marks.get(e)) {
      elements++;
      bytes += (Layout.payloadWords(memory, e, memory.get(e)) + 1) << 3;
      first = first == 0 ? e : first;
    }
  }

  /** Depth first, a bounded number of elements from each that has leaked. */
  private void loop(MarkBits marks, List<String> steps) {
    Set<Long> seen = new HashSet<>();
    long[] start = {first};
    Inspector inspector = new Inspector(context);
    context.tables().weak().forgetIndex();
    while (start[0] != 0 && seen.size() < LONGEST_SAMPLE) {
      List<Long> path = new ArrayList<>();
      if (follow(inspector, marks, start[0], seen, path)) {
        for (int i = path.indexOf(path.getLast()) + 1; i < path.size(); i++) {
          steps.add(inspector.step(path.get(i - 1), path.get(i)));
        }
        return;
      }
      start[0] = 0;
      collector.forEachElement(e -> {
        if (start[0] == 0 && !marks.get(e) && !seen.contains(e)) {
          start[0] = e;
        }
      });
    }
  }

  /** Walks down, back and down again; the path ends with an element that is on it already. */
  private boolean follow(
      Inspector inspector, MarkBits marks, long from, Set<Long> seen, List<Long> path) {
    Set<Long> onPath = new HashSet<>();
    path.add(from);
    while (!path.isEmpty() && seen.size() < LONGEST_SAMPLE) {
      long e = path.getLast();
      seen.add(e);
      onPath.add(e);
      long[] next = {0};
      boolean[] loops = {false};
      inspector.forEachPlace(
          e,
          place -> {
            long v = memory.get(place);
            if (!loops[0] && Values.isReference(v) && !marks.get(v)) {
              loops[0] = onPath.contains(v);
              next[0] = loops[0] || !seen.contains(v) ? v : next[0];
            }
          });
      if (next[0] == 0) {
        onPath.remove(path.removeLast());
        continue;
      }
      path.add(next[0]);
      if (loops[0]) {
        return true;
      }
    }
    return false;
  }
}
