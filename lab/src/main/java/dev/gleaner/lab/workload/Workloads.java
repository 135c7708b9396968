package dev.gleaner.lab.workload;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
          new Tenants());

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

  /**
   * Returns a parameter that must be one or more.
   *
   * @throws IllegalArgumentException if it is 0
   */
  static int positive(Run run, String name) {
    int value = run.parameters().integer(name);
    if (value == 0) {
      throw new IllegalArgumentException(name + " = 0: the least is 1");
    }
    return value;
  }

  /** Returns a map of names to values, in the order given: name, value, name, value… */
  static Map<String, String> defaults(String... namesAndValues) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return Collections.unmodifiableMap(map);
  }
}
