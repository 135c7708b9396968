package dev.gleaner.lab;

import dev.gleaner.lab.hprof.HeapDump;
import dev.gleaner.lab.workload.Names;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import java.util.ArrayList;
import java.util.List;

/** All workloads of the command line: the programs, and the graph of a heap dump. */
final class Catalog {
  private static final List<Workload> ALL = all();

  private Catalog() {}

  private static List<Workload> all() {
    List<Workload> all = new ArrayList<>(Workloads.all());
    all.add(new HeapDump());
    return List.copyOf(all);
  }

  /**
   * Returns the workload of that name.
   *
   * @throws RequestException if there is none; the message lists those there are
   */
  static Workload find(String name) {
    for (Workload workload : ALL) {
      if (workload.name().equals(name)) {
        return workload;
      }
    }
    throw new RequestException(
        Names.unknown("--workload ", name, "workload", ALL.stream().map(Workload::name).toList()));
  }

  /** Returns all workloads, in the order in which they are listed. */
  static List<Workload> workloads() {
    return ALL;
  }
}
