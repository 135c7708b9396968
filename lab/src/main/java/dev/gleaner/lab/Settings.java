package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.Hocon;
import dev.gleaner.config.PluginPath;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.settings.Quantities;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings as they were given on the command line. The strongest first:
 *
 * <pre>
 *   --collector                 gleaner.collector
 *   -D path=value               any, the last one of a path
 *   --max-memory SIZE           gleaner.memory.max
 *   --config FILE               HOCON
 *   what the workload needs     gleaner.memory.max; a trace: any
 * </pre>
 *
 * <p>System properties are no part of it, because a worker is another JVM than the one that was
 * given them.
 *
 * @param file HOCON, or null
 * @param overrides {@code path=value}, in the order given
 * @param maxMemory the heap's limit, as it was written, or null
 * @param plugins jars, or folders of jars, with more collectors
 */
record Settings(
    @Nullable Path file, List<String> overrides, @Nullable String maxMemory, List<Path> plugins) {
  private static final String ROOT = "gleaner";
  private static final String COLLECTOR = ROOT + ".collector";

  /**
   * Returns what was set, for one collector; the factory of heaps adds the defaults.
   *
   * @param heapMemory bytes that the workload needs, the limit if nobody set one; 0 if unknown
   * @throws RequestException if the file or an override cannot be read or is no HOCON
   */
  Config config(String collector, long heapMemory) {
    return config(collector, heapMemory, "");
  }

  /**
   * Returns what was set, for one collector and one workload.
   *
   * @throws RequestException if the file or an override cannot be read or is no HOCON
   * @throws IllegalArgumentException if the workload cannot run with these parameters
   */
  Config config(String collector, Workload workload, Parameters parameters) {
    return config(
        collector, workload.heapMemory(parameters), workload.settings(parameters, collector));
  }

  private Config config(String collector, long heapMemory, String workload) {
    try {
      Config config = parse(COLLECTOR + " = " + collector, "--collector").withFallback(given());
      if (heapMemory > 0) {
        config = config.withFallback(limit(Long.toString(heapMemory), "the workload"));
      }
      config = config.withFallback(parse(workload, "the workload"));
      return resolved(config);
    } catch (ConfigException e) {
      throw new RequestException("the configuration: " + e.getMessage(), e);
    }
  }

  /**
   * Returns the collector that the settings name, for commands that run one unless told otherwise.
   *
   * @throws RequestException if they cannot be read
   */
  String collector(ClassLoader defaults) {
    try {
      return resolved(given().withFallback(Hocon.defaults(defaults))).getString(COLLECTOR);
    } catch (ConfigException e) {
      throw new RequestException("the configuration: " + e.getMessage(), e);
    }
  }

  /** Returns these with more overrides, which precede those that are there. */
  Settings with(List<String> more) {
    List<String> all = new ArrayList<>(overrides);
    all.addAll(more);
    return new Settings(file, List.copyOf(all), maxMemory, plugins);
  }

  private Config given() {
    Config config = ConfigFactory.empty();
    for (String override : overrides.reversed()) {
      config = config.withFallback(parse(override, "-D " + override));
    }
    if (maxMemory != null) {
      config = config.withFallback(limit(maxMemory, "--max-memory"));
    }
    if (file != null) {
      config = config.withFallback(parseFile(file));
    }
    return config;
  }

  private static Config limit(String size, String origin) {
    return parse("%s.memory.max = \"%s\"".formatted(ROOT, size), origin);
  }

  private static Config parse(String hocon, String origin) {
    return Hocon.parse(hocon, origin);
  }

  private static Config parseFile(Path file) {
    if (!Files.isReadable(file)) {
      throw new RequestException("--config %s: there is no such file to read".formatted(file));
    }
    NamedPipes.refuse("--config ", file);
    return Hocon.parseFile(file);
  }

  private static Config resolved(Config config) {
    return Hocon.resolve(config, "the settings");
  }

  /**
   * Reads a time as the settings have them.
   *
   * @throws RequestException if it is none, or negative
   */
  static Duration time(String option, String text) {
    Long nanos = Quantities.nanos(text);
    if (nanos != null && nanos >= 0) {
      return Duration.ofNanos(nanos);
    }
    throw new RequestException(option + " " + text + ": a time such as 30s, 10m or 2h");
  }

  /**
   * Checks that an override names a setting of this program.
   *
   * @throws RequestException if it is not {@code gleaner.…=value}
   */
  static void check(String override) {
    int equals = override.indexOf('=');
    if (equals <= 0) {
      throw new RequestException(
          "-D %s: it is given as -D path=value, such as -D %s.memory.max=256m"
              .formatted(override, ROOT));
    }
    String path = override.substring(0, equals).strip();
    if (!path.startsWith(ROOT + ".")) {
      throw new RequestException(
          "-D %s: every setting is under %s (%s.%s?)".formatted(override, ROOT, ROOT, path));
    }
  }

  /**
   * Opens the plug-in path. Jars in it that are wrong are left out; the path has their problems.
   *
   * @throws RequestException if there is nothing where it leads
   */
  PluginPath pluginPath() {
    List<String> missing =
        plugins.stream()
            .filter(plugin -> !Files.exists(plugin))
            .map(plugin -> "--plugin-path " + plugin + ": no such file or folder")
            .toList();
    if (!missing.isEmpty()) {
      throw new RequestException(String.join("\n", missing));
    }
    return PluginPath.of(plugins);
  }
}
