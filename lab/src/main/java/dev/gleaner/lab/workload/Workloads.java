package dev.gleaner.lab.workload;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workloads there are. */
public final class Workloads {
  private static final List<Workload> ALL =
      List.of(
          new GcBench(),
          new BinaryTrees(),
          new Cycles(),
          new Churn(),
          new Strings(),
          new Graph(),
          new ListOfCalls(),
          new TailCalls(),
          new NestedCalls(),
          new OldAndYoung(),
          new Closures(),
          new Finalizers(),
          new Properties(),
          new Buffers(),
          new Tenants(),
          new Md5(),
          new Monad(),
          new BacktrackingParser(),
          new Document());

  private Workloads() {}

  /** Returns all workloads, in the order in which they are listed. */
  public static List<Workload> all() {
    return ALL;
  }

  /** Returns their names, in the same order. */
  public static List<String> names() {
    return ALL.stream().map(Workload::name).toList();
  }

  /** Returns the workload of that name, or null if there is none. */
  public static @Nullable Workload find(String name) {
    for (Workload workload : ALL) {
      if (workload.name().equals(name)) {
        return workload;
      }
    }
    return null;
  }
}
