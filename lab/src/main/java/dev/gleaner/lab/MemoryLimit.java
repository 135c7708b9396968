package dev.gleaner.lab;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The limit of heaps that run workloads. */
final class MemoryLimit {
  @Option(
      names = "--max-memory",
      paramLabel = "SIZE",
      description =
          "The limit of each heap in bytes, such as 512m; default: what the workload needs, or"
              + " gleaner.memory.max of the settings.")
  private @Nullable String size;

  /** Returns what was given; null stands for the default. */
  @Nullable String size() {
    return size;
  }
}
