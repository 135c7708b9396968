package dev.gleaner.lab;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that every command has which runs under all collectors, or some. */
final class CollectorOption {
  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description = "A collector, several parted by commas, or all; default: all.")
  private List<String> names = new ArrayList<>();

  /** Returns what was named; nothing stands for all. */
  List<String> names() {
    return names;
  }
}
