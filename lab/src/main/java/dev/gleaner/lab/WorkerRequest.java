package dev.gleaner.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is to do. Travels as arguments {@code name=value} of its command line.
 *
 * @param collector the collector's name, or {@link #JVM} for plain Java objects
 * @param workload the workload's name
 * @param parameters what was given over the workload's defaults
 * @param runs runs that are reported
 * @param warmup runs before those
 * @param gcLog the file of the JVM's own log, if this is the baseline
 */
record WorkerRequest(
    String collector,
    String workload,
    Map<String, String> parameters,
    int runs,
    int warmup,
    Settings settings,
    @Nullable Path gcLog) {
  /** The name of the baseline on plain Java objects, in place of a collector's. */
  static final String JVM = "jvm";

  List<String> toArguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("collector=" + collector);
    arguments.add("workload=" + workload);
    parameters.forEach((key, value) -> arguments.add("parameter=" + key + "=" + value));
    arguments.add("runs=" + runs);
    arguments.add("warmup=" + warmup);
    if (settings.file() != null) {
      arguments.add("config=" + settings.file());
    }
    settings.overrides().forEach(override -> arguments.add("override=" + override));
    if (settings.maxMemory() != null) {
      arguments.add("max-memory=" + settings.maxMemory());
    }
    settings.plugins().forEach(plugin -> arguments.add("plugin=" + plugin));
    if (gcLog != null) {
      arguments.add("gc-log=" + gcLog);
    }
    return arguments;
  }

  static WorkerRequest ofArguments(String... arguments) {
    Map<String, String> single = new LinkedHashMap<>();
    Map<String, String> parameters = new LinkedHashMap<>();
    List<String> overrides = new ArrayList<>();
    List<Path> plugins = new ArrayList<>();
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      switch (parts[0]) {
        case "parameter" -> {
          String[] parameter = parts[1].split("=", 2);
          parameters.put(parameter[0], parameter[1]);
        }
        case "override" -> overrides.add(parts[1]);
        case "plugin" -> plugins.add(Path.of(parts[1]));
        default -> single.put(parts[0], parts[1]);
      }
    }
    Settings settings =
        new Settings(
            path(single.get("config")), overrides, single.get("max-memory"), List.copyOf(plugins));
    return new WorkerRequest(
        single.getOrDefault("collector", ""),
        single.getOrDefault("workload", ""),
        parameters,
        Integer.parseInt(single.getOrDefault("runs", "1")),
        Integer.parseInt(single.getOrDefault("warmup", "0")),
        settings,
        path(single.get("gc-log")));
  }

  private static @Nullable Path path(@Nullable String text) {
    return text == null ? null : Path.of(text);
  }
}
