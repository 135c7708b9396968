package dev.gleaner.collector.semispace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A random graph of up to 40 elements, and which finalizers a collection calls, from the definition
 * alone: strongly connected components by reachability, sets of elements as bits of a word.
 */
final class RandomGraph {
  static final int MOST = 40;

  final int n;

  /** The elements that each refers to, repetitions included. */
  final List<List<Integer>> references = new ArrayList<>();

  /** The elements that have a finalizer, in the order of registration. */
  final List<Integer> finalizers = new ArrayList<>();

  /** The elements that a root holds. */
  final long held;

  private final long[] reach;

  RandomGraph(Random random) {
    n = 1 + random.nextInt(MOST);
    // From sparse, where there are chains and small loops, to one large component.
    double degree = random.nextInt(4) == 0 ? 3 * random.nextDouble() : 1.3 * random.nextDouble();
    int share = 1 + random.nextInt(10);
    long roots = 0;
    for (int i = 0; i < n; i++) {
      references.add(new ArrayList<>());
      if (random.nextInt(10) < share) {
        finalizers.add(i);
      }
      if (random.nextInt(20) == 0) {
        roots |= 1L << i;
      }
    }
    held = roots;
    Collections.shuffle(finalizers, random);
    boolean forward = random.nextInt(4) == 0; // no loops but an element's own
    for (int edges = (int) Math.round(degree * n); edges > 0; edges--) {
      int from = random.nextInt(n);
      int to = random.nextInt(n);
      references.get(forward ? Math.min(from, to) : from).add(forward ? Math.max(from, to) : to);
    }
    reach = closure();
  }

  /** What each element reaches, itself included (Warshall). */
  private long[] closure() {
    long[] r = new long[n];
    for (int i = 0; i < n; i++) {
      r[i] = 1L << i;
      for (int to : references.get(i)) {
        r[i] |= 1L << to;
      }
    }
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < n; i++) {
        if ((r[i] >>> k & 1) != 0) {
          r[i] |= r[k];
        }
      }
    }
    return r;
  }

  /** All that some elements reach. */
  long reach(long elements) {
    long all = 0;
    for (int i = 0; i < n; i++) {
      if ((elements >>> i & 1) != 0) {
        all |= reach[i];
      }
    }
    return all;
  }

  private long component(int i) {
    long c = 0;
    for (int j = 0; j < n; j++) {
      if ((reach[i] >>> j & 1) != 0 && (reach[j] >>> i & 1) != 0) {
        c |= 1L << j;
      }
    }
    return c;
  }

  /**
   * The finalizers that a collection calls, in the order of registration.
   *
   * @param registered the elements that have a finalizer still, in that order
   */
  List<Integer> due(List<Integer> registered) {
    long alive = reach(held);
    long with = 0;
    for (int x : registered) {
      with |= 1L << x;
    }
    List<Integer> due = new ArrayList<>();
    long done = 0;
    for (int x : registered) { // so the first one of a component is taken
      long c = component(x);
      if ((alive >>> x & 1) == 0 && (done >>> x & 1) == 0 && !isReachedFromOutside(c, with)) {
        due.add(x);
      }
      done |= c;
    }
    return due;
  }

  private boolean isReachedFromOutside(long component, long with) {
    for (int y = 0; y < n; y++) {
      boolean outside = (component >>> y & 1) == 0;
      if (outside && (with >>> y & 1) != 0 && (reach[y] & component) != 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return "references "
        + references
        + ", finalizers "
        + finalizers
        + ", held "
        + Long.toBinaryString(held);
  }
}
