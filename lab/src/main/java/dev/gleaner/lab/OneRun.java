package dev.gleaner.lab;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every command takes that runs one workload once, under one collector. */
final class OneRun {
  @Parameters(
      paramLabel = "WORKLOAD[:key=value,...]",
      arity = "0..*",
      description =
          "A workload with its parameters; with --lua, the script's arguments, -- before those that"
              + " begin with -.")
  private List<String> words = new ArrayList<>();

  @Mixin private WorkloadFiles files;

  @Mixin private OneCollectorOption collector;

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE",
      description =
          "The limit of the heap in bytes, such as 512m; default: what the workload needs, or"
              + " gleaner.memory.max of the settings.")
  private @Nullable String maxMemory;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  OneRun() {}

  /**
   * Returns the workload.
   *
   * @throws RequestException if there is none or more than one, or if it is wrong
   */
  WorkloadSpec workload() {
    return files.only(words);
  }

  @Nullable String maxMemory() {
    return maxMemory;
  }

  /**
   * Returns the collector's name.
   *
   * @throws RequestException if there is no such collector, or more than one was named
   */
  String collector(Installed installed) {
    return collector.selected(installed, "one is needed").name();
  }
}
