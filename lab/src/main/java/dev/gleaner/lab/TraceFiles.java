package dev.gleaner.lab;

import dev.gleaner.lab.trace.TraceWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Traces as they are named on the command line. */
final class TraceFiles {
  private TraceFiles() {}

  /**
   * Returns the workload of a trace, which is checked.
   *
   * @throws RequestException if there is no such file, or it is no trace, damaged or cut off
   */
  static WorkloadSpec spec(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new RequestException("%s: there is no such file to read".formatted(file));
    }
    TraceWorkload workload = (TraceWorkload) Catalog.find("trace");
    WorkloadSpec spec = WorkloadSpec.of(workload, Map.of(TraceWorkload.FILE, file.toString()));
    try {
      var _ = workload.open(spec.parameters());
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
    return spec;
  }
}
