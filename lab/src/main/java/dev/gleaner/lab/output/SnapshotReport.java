package dev.gleaner.lab.output;

import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what a snapshot shows. */
public final class SnapshotReport {
  private SnapshotReport() {}

  /** Returns the file's line, and one for what was allocated and the kinds that are left. */
  @SuppressWarnings("EnumOrdinal") // the array is indexed so by its documentation
  public static List<String> lines(
      String collector, Path file, long fileBytes, HeapStatistics statistics) {
    List<String> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      long n = statistics.liveByKind()[kind.ordinal()];
      if (n > 0) {
        kinds.add("%s %s%s".formatted(Units.count(n), kind.text(), n == 1 ? "" : "s"));
      }
    }
    return List.of(
        "%s: %s, the heap of %s with %s in use"
            .formatted(
                file, Units.bytes(fileBytes), collector, Units.bytes(statistics.usedBytes())),
        "after %s elements allocated: %s"
            .formatted(Units.count(statistics.allocatedElements()), String.join(", ", kinds)));
  }
}
