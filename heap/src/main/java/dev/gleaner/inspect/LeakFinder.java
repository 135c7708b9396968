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
 * Finds the elements that no root leads to, for collectors that cannot reclaim cycles: their
 * number, and a sample cycle.
 *
 * <p>The finder marks all elements that the roots reach. The bits for the marks are made at the
 * first use.
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

  /** Returns the number of elements of the last count. */
  public long elements() {
    return unreached.elements();
  }

  /** Returns the bytes of the elements of the last count. */
  public long bytes() {
    return unreached.bytes();
  }

  /**
   * Counts, and follows the references of leaked elements until they form a cycle.
   *
   * @return a text for each step around the cycle, back to its first element; empty if nothing
   *     leaked, or if no cycle was found
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

  /** Searches a cycle depth first, over a bounded number of elements from each leaked element. */
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

  /** Walks depth first until the path ends with an element that is already on it. */
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
