package dev.gleaner.lab;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that every command has which runs under one collector. */
final class OneCollectorOption {
  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description = "A collector; default: gleaner.collector of the settings.")
  private @Nullable String name;

  OneCollectorOption() {}

  OneCollectorOption(@Nullable String name) {
    this.name = name;
  }

  /**
   * Returns the collector.
   *
   * @param wanted what is said if more than one was named
   * @throws RequestException if there is no such collector, or more than one was named
   */
  Contender selected(Installed installed, String wanted) {
    String asked = name == null ? installed.configuredCollector() : name;
    List<Contender> selected = installed.select(List.of(asked));
    if (selected.size() != 1) {
      throw new RequestException("--collector " + asked + ": " + wanted);
    }
    return selected.getFirst();
  }
}
