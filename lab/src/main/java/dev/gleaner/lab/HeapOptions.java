package dev.gleaner.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every command has which opens heaps: more collectors, and settings. */
class HeapOptions {
  @Option(
      names = "--plugin-path",
      paramLabel = "DIR_OR_JAR",
      description =
          "A jar with more collectors, or a folder of such jars; may be repeated; default: none.")
  private List<Path> plugins = new ArrayList<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings in HOCON, over the defaults; default: none.")
  private @Nullable Path config;

  @Option(
      names = "-D",
      paramLabel = "path=value",
      description =
          "One setting, over the file; may be repeated: -D gleaner.verify=off; default: none.")
  private List<String> overrides = new ArrayList<>();

  /**
   * Returns the settings.
   *
   * @throws RequestException if an override is not {@code gleaner.…=value}
   */
  Settings settings(@Nullable String maxMemory) {
    overrides.forEach(Settings::check);
    return new Settings(config, List.copyOf(overrides), maxMemory, List.copyOf(plugins));
  }
}
