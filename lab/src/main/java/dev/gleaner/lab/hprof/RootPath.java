package dev.gleaner.lab.hprof;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Searches a shortest way from a root, breadth first, 8 bytes an object. */
final class RootPath {
  private static final int UNSEEN = -2;
  private static final int NOBODY = -1;

  private final ObjectGraph graph;
  private final int[] from;
  private final int[] queue;

  RootPath(ObjectGraph graph) {
    this.graph = graph;
    this.from = new int[graph.size()];
    this.queue = new int[graph.size()];
  }

  /** Returns the objects from a root to this one, or none if no root leads to it. */
  List<Integer> to(int target) {
    Arrays.fill(from, UNSEEN);
    int end = 0;
    for (int root : graph.roots) {
      from[root] = NOBODY;
      queue[end++] = root;
    }
    for (int next = 0; next < end && from[target] == UNSEEN; next++) {
      int o = queue[next];
      for (int i = graph.first[o]; i < graph.first[o + 1]; i++) {
        int t = graph.targets[i];
        if (from[t] == UNSEEN) {
          from[t] = o;
          queue[end++] = t;
        }
      }
    }
    List<Integer> way = new ArrayList<>();
    for (int at = from[target] == UNSEEN ? NOBODY : target; at != NOBODY; at = from[at]) {
      way.add(at);
    }
    return List.copyOf(way.reversed());
  }

  /** Returns what kind of root refers to an object that one does. */
  static HprofRoot kind(ObjectGraph graph, int object) {
    for (int i = 0; i < graph.roots.length; i++) {
      if (graph.roots[i] == object) {
        return graph.rootKinds[i];
      }
    }
    throw new IllegalArgumentException("no root refers to object " + object);
  }
}
