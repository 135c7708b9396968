package dev.gleaner.inspect;

import dev.gleaner.layout.Values;
import dev.gleaner.mark.Unreached;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds what no root leads to, for collectors that cannot reclaim loops: how much, and what one is.
 *
 * <p>Marks what the roots reach; the bits for that are made when they are first needed.
 */
public final class LeakFinder implements AutoCloseable {
  private static final int LONGEST_SAMPLE = 1000;

  private final HeapParts context;
  private final Collector collector;
  private final Memory memory;
  private final Unreached unreached;

  public LeakFinder(HeapParts context, Collector collector) {
    this.context = context;
    this.collector = collector;
    this.memory = context.memory();
    this.unreached = new Unreached(context);
  }

  /** Returns the number of elements that no root leads to. */
  public long count() {
    unreached.find(collector);
    return unreached.elements();
  }

  /** Returns the number of those that were counted last. */
  public long elements() {
    return unreached.elements();
  }

  /** Returns the bytes of those that were counted last. */
  public long bytes() {
    return unreached.bytes();
  }

  /**
   * Counts, and follows the references of what has leaked until they return: a loop.
   *
   * @return a text a step, around the loop to where it began; empty if nothing leaked, or if no
   *     loop was met
   */
  public List<String> sample() {
    List<String> steps = new ArrayList<>();
    unreached.find(collector);
    loop(steps);
    return steps;
  }

  @Override
  public void close() {
    unreached.close();
  }

  /** Depth first, a bounded number of elements from each that has leaked. */
  private void loop(List<String> steps) {
    Set<Long> seen = new HashSet<>();
    long[] start = {unreached.first()};
    Inspector inspector = new Inspector(context);
    context.tables().weak().forgetIndex();
    while (start[0] != 0 && seen.size() < LONGEST_SAMPLE) {
      List<Long> path = new ArrayList<>();
      if (follow(inspector, start[0], seen, path)) {
        for (int i = path.indexOf(path.getLast()) + 1; i < path.size(); i++) {
          steps.add(inspector.step(path.get(i - 1), path.get(i)));
        }
        return;
      }
      start[0] = 0;
      collector.forEachElement(e -> {
        if (start[0] == 0 && !unreached.isReached(e) && !seen.contains(e)) {
          start[0] = e;
        }
      });
    }
  }

  /** Walks down, back and down again; the path ends with an element that is on it already. */
  private boolean follow(Inspector inspector, long from, Set<Long> seen, List<Long> path) {
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
            if (!loops[0] && Values.isReference(v) && !unreached.isReached(v)) {
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
