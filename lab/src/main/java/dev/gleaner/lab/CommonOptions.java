package dev.gleaner.lab;

import dev.gleaner.lab.output.Format;
import picocli.CommandLine.Option;

/** The options that every command has which opens heaps and prints a result. */
final class CommonOptions extends HeapOptions {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, json or csv; default: ${DEFAULT-VALUE}.")
  private Format format = Format.TABLE;

  @Option(names = "--quiet", description = "No progress bar.")
  private boolean quiet;

  Format format() {
    return format;
  }

  boolean quiet() {
    return quiet;
  }
}
