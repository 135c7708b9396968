package dev.gleaner.lab;

import dev.gleaner.lab.hprof.HeapDump;
import dev.gleaner.lab.script.LuaWorkload;
import dev.gleaner.lab.trace.TraceWorkload;
import dev.gleaner.lab.workload.UnknownName;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** All workloads of the command line: the programs, the graph of a heap dump, a trace, a script. */
final class Catalog {
  private static final List<Workload> ALL = made();

  private Catalog() {}

  private static List<Workload> made() {
    List<Workload> all = new ArrayList<>(Workloads.all());
    all.add(new HeapDump());
    all.add(new TraceWorkload());
    all.add(new LuaWorkload());
    return List.copyOf(all);
  }

  /** Returns them in the order in which they are listed. */
  static List<Workload> all() {
    return ALL;
  }

  /**
   * Returns the workload of that name.
   *
   * @throws RequestException if there is none; the message lists those there are
   */
  static Workload find(String name) {
    return find("--workload ", name);
  }

  /**
   * Returns the workload that was named.
   *
   * @param option stands before the name in a message
   * @throws RequestException if there is none
   */
  static Workload find(String option, String name) {
    for (Workload workload : ALL) {
      if (workload.name().equals(name)) {
        return workload;
      }
    }
    throw new RequestException(
        UnknownName.message(option, name, "workload", ALL.stream().map(Workload::name).toList()));
  }

  /** Returns lines of help: every workload, its parameters with their defaults, what it does. */
  static String[] describe() {
    List<String> lines = new ArrayList<>(List.of("", "Workloads:"));
    for (Workload workload : ALL) {
      String defaults =
          workload.defaults().entrySet().stream()
              .map(entry -> entry.getKey() + "=" + entry.getValue())
              .collect(Collectors.joining(","));
      lines.add("  " + workload.name() + (defaults.isEmpty() ? "" : ":" + defaults));
      lines.add("      " + workload.summary());
    }
    return lines.toArray(new String[0]);
  }
}
