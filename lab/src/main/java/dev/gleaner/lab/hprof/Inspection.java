package dev.gleaner.lab.hprof;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** What is in a heap dump, who holds how much of it, and by what. */
public final class Inspection {
  private final Path file;
  private final ObjectGraph graph;
  private final Dominators dominators;

  private Inspection(Path file, ObjectGraph graph) {
    this.file = file;
    this.graph = graph;
    this.dominators = new Dominators(graph);
  }

  /**
   * Reads a heap dump, of a heap of Gleaner's or of a JVM.
   *
   * @throws HprofException if it cannot be read, is no heap dump, or is truncated or damaged
   */
  public static Inspection of(Path file) {
    return new Inspection(file, ObjectGraph.read(file));
  }

  /**
   * The dump as a whole.
   *
   * @param references to objects that are in the dump
   * @param roots objects that roots refer to
   * @param reachable objects that roots lead to
   */
  public record Totals(
      long objects, long bytes, long references, long roots, long reachable, long reachableBytes) {}

  /**
   * The objects of a class.
   *
   * @param bytes of the objects themselves
   * @param retained bytes that would go with them, if they did
   */
  public record ClassRow(String name, long objects, long bytes, long retained) {}

  /** An object, with its own bytes and those that would go with it. */
  public record ObjectRow(long id, String className, long bytes, long retained) {}

  /** Returns what there is in all. */
  public Totals totals() {
    long bytes = 0;
    for (long size : graph.sizes) {
      bytes += size;
    }
    return new Totals(
        graph.size(),
        bytes,
        graph.targets.length,
        graph.roots.length,
        dominators.reachable(),
        dominators.retainedByRoots());
  }

  /** Returns all classes that have objects; those that retain most are first. */
  public List<ClassRow> classes() {
    long[] objects = new long[graph.rowCount()];
    long[] bytes = new long[graph.rowCount()];
    for (int o = 0; o < graph.size(); o++) {
      objects[graph.rows[o]]++;
      bytes[graph.rows[o]] += graph.sizes[o];
    }
    long[] retained = dominators.retainedByRow();
    List<ClassRow> rows = new ArrayList<>();
    for (int row = 0; row < objects.length; row++) {
      if (objects[row] > 0) {
        rows.add(new ClassRow(graph.rowName(row), objects[row], bytes[row], retained[row]));
      }
    }
    rows.sort(
        Comparator.comparingLong(ClassRow::retained)
            .thenComparingLong(ClassRow::bytes)
            .reversed()
            .thenComparing(ClassRow::name));
    return rows;
  }

  /** Returns the objects that retain most, at most so many. */
  public List<ObjectRow> largest(int most) {
    Comparator<Integer> order =
        Comparator.<Integer>comparingLong(dominators::retained)
            .thenComparing(Comparator.<Integer>naturalOrder().reversed());
    PriorityQueue<Integer> best = new PriorityQueue<>(order);
    for (int o = 0; o < graph.size() && most > 0; o++) {
      boolean full = best.size() == most;
      if (!dominators.isReachable(o)
          || (full && dominators.retained(o) <= dominators.retained(best.element()))) {
        continue;
      }
      if (full) {
        best.remove();
      }
      best.add(o);
    }
    return best.stream().sorted(order.reversed()).map(this::row).toList();
  }

  private ObjectRow row(int o) {
    return new ObjectRow(graph.ids[o], name(o), graph.sizes[o], dominators.retained(o));
  }

  private String name(int o) {
    return graph.rowName(graph.rows[o]);
  }

  /**
   * Finds out who holds an object.
   *
   * @return a shortest way from a root to it, a step a text; empty if no root leads to it
   * @throws HprofException if there is no such object
   */
  public List<String> path(long id) {
    int target = 0;
    while (target < graph.size() && graph.ids[target] != id) {
      target++;
    }
    if (target == graph.size()) {
      throw new HprofException("%s: there is no object %#x in it".formatted(file, id));
    }
    List<Integer> way = new RootPath(graph).to(target);
    List<String> fields = EdgeNames.of(graph, way);
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < way.size(); i++) {
      int o = way.get(i);
      String edge = i == 0 ? "root, " + RootPath.kind(graph, o).text() + ": " : fields.get(i - 1);
      steps.add("%s%s %#x".formatted(edge, name(o), graph.ids[o]));
    }
    return steps;
  }
}
