package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.config.Hocon;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.kit.collector.KitCollectors;
import dev.gleaner.lab.output.Setting;
import dev.gleaner.lab.workload.UnknownName;
import dev.gleaner.lab.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The collectors that are installed, with those of the plug-in path.
 *
 * <p>Those of the kit are there for who names them: they are no collectors to choose from.
 */
final class Installed {
  private static final String ALL = "all";

  /** Loggers of the JVM, which takes its time to make the first: only for what would be logged. */
  private static final class Loggers {
    /** Held, because a logger that nobody holds forgets its level. */
    static final Logger DISCOVERY = Logger.getLogger("dev.gleaner.config");

    /** Logs, with its stack trace, what a plug-in's module throws, which is told in a line. */
    static final Logger GUICE = Logger.getLogger("com.google.inject.Guice");
  }

  private final Settings settings;
  private final PluginPath path;
  private final CollectorRegistry registry;
  private final CollectorRegistry withKit;

  Installed(Settings settings) {
    this.settings = settings;
    this.path = settings.pluginPath();
    this.registry = CollectorRegistry.discover(List.of(path.loader()));
    this.withKit = CollectorRegistry.discover(loaders());
    if (!settings.plugins().isEmpty() || !withKit.problems().isEmpty()) {
      silenceDiscovery();
    }
  }

  /**
   * Keeps factories in this JVM from logging, each anew, what is wrong with plug-ins that they do
   * not use: {@link #problems} says it once.
   */
  static void silenceDiscovery() {
    Loggers.DISCOVERY.setLevel(Level.OFF);
    Loggers.GUICE.setLevel(Level.OFF);
  }

  /** Returns what is wrong with plug-ins that could not be loaded. */
  List<String> problems() {
    return registry.problems();
  }

  List<CollectorRegistry.Plugin> plugins() {
    return registry.plugins();
  }

  /**
   * Returns the collectors that were asked for, each once; all of them if none was.
   *
   * @param asked names, {@code all}, or several of those parted by commas
   * @throws RequestException if there is no such collector; the message lists those there are
   */
  List<Contender> select(List<String> asked) {
    if (plugins().isEmpty()) {
      throw new RequestException("no collector is installed");
    }
    List<String> names = asked.isEmpty() ? List.of(ALL) : asked;
    Set<Contender> selected = new LinkedHashSet<>();
    List<String> problems = new ArrayList<>();
    for (String name : names) {
      for (String one : name.split(",", -1)) {
        CollectorRegistry.Plugin plugin = withKit.find(one);
        if (one.equals(ALL)) {
          plugins().forEach(each -> selected.add(contender(each)));
        } else if (plugin == null) {
          problems.add(UnknownName.message("--collector ", one, "collector", registry.names()));
        } else {
          selected.add(contender(plugin));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new RequestException(String.join("\n", problems));
    }
    return List.copyOf(selected);
  }

  private static Contender contender(CollectorRegistry.Plugin plugin) {
    return new Contender(plugin.name(), plugin.version());
  }

  /**
   * Returns the factory of a collector under the settings given, which checks all of them.
   *
   * @throws dev.gleaner.settings.ConfigurationException if they cannot be used
   */
  HeapFactory factory(String collector, long heapMemory) {
    return Gleaner.factory(settings.config(collector, heapMemory), loaders());
  }

  /**
   * Returns the factory of a collector for a workload, under the settings given.
   *
   * @throws dev.gleaner.settings.ConfigurationException if they cannot be used
   * @throws IllegalArgumentException if the workload cannot run with these parameters
   */
  HeapFactory factory(String collector, WorkloadSpec spec) {
    return Gleaner.factory(config(collector, spec), loaders());
  }

  /** Returns a workload under the settings in force for a collector. */
  Workload under(String collector, WorkloadSpec spec) {
    return spec.workload().under(config(collector, spec), loaders());
  }

  /** Returns what was set, for one collector and what the workload needs. */
  Config config(String collector, WorkloadSpec spec) {
    return settings.config(collector, spec.workload(), spec.parameters());
  }

  /** Returns the class loaders that lead to the collectors of the plug-in path and of the kit. */
  List<ClassLoader> loaders() {
    return loaders(path);
  }

  /** Returns the class loaders that lead to the collectors of a plug-in path and of the kit. */
  static List<ClassLoader> loaders(PluginPath path) {
    return List.of(path.loader(), KitCollectors.loader());
  }

  /** Returns what was set, for one collector. */
  Config config(String collector) {
    return settings.config(collector, 0);
  }

  /** Returns the name of the collector that the settings choose. */
  String configuredCollector() {
    return settings.collector(path.loader());
  }

  /** Returns the settings in force for a collector, without those of the others. */
  Map<String, Object> settingsOf(String collector, WorkloadSpec spec) {
    Config config =
        config(collector, spec).withFallback(Hocon.defaults(path.loader())).getConfig("gleaner");
    ConfigObject all = config.root();
    if (all.get("collectors") instanceof ConfigObject others) {
      all = all.withValue("collectors", others.withOnlyKey(collector));
    }
    return sorted(all);
  }

  /** Returns the settings in force for a collector one by one, each with its default. */
  List<Setting> inForce(String collector, WorkloadSpec spec) {
    Config defaults = Hocon.defaults(path.loader());
    return new SettingsInForce(collector, config(collector, spec), defaults).list();
  }

  private static Map<String, Object> sorted(ConfigObject object) {
    Map<String, Object> sorted = new TreeMap<>();
    object.forEach((key, value) ->
        sorted.put(key, value instanceof ConfigObject inner ? sorted(inner) : value.unwrapped()));
    return sorted;
  }
}
