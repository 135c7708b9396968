package dev.gleaner.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.settings.Layers;
import dev.gleaner.settings.Problems;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apiguardian.api.API;

/**
 * From a configuration to a factory: find the collectors, lay out the defaults, read and check
 * everything, and let the chosen one make its factory.
 */
@API(status = API.Status.INTERNAL)
public final class FactoryBuilder {

  /** Keys of system properties that are not settings: they belong to the tests and to the build. */
  private static final Set<String> NOT_SETTINGS = Set.of("seed", "test", "format", "checks");

  /** The defaults that a class loader leads to: parsing them takes most of a factory's time. */
  private static final Map<ClassLoader, Config> REFERENCES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private FactoryBuilder() {}

  /**
   * Makes a factory; behind {@code Gleaner.factory}.
   *
   * @param config with the settings under {@code gleaner}
   * @param loaders class loaders that lead to more collectors
   * @return the factory
   * @throws ConfigurationException listing all problems
   */
  public static HeapFactory build(Config config, List<ClassLoader> loaders) {
    CollectorRegistry registry = CollectorRegistry.discover(loaders);
    Problems problems = new Problems();
    Config resolved = resolve(config, problems);
    ConfigObject given = root(resolved, problems);
    ConfigObject defaults =
        Layers.only(given, true).withFallback(references(registry, resolved, problems));
    ConfigObject set = withoutBuildProperties(Layers.only(given, false));
    SettingsReader.Choice choice = new SettingsReader(registry, set, defaults, problems).read();
    problems.throwIfAny();
    if (choice == null) {
      throw new IllegalStateException("no problem, and no collector");
    }
    for (String problem : registry.problems()) {
      System.getLogger("dev.gleaner.config").log(System.Logger.Level.WARNING, problem);
    }
    return new DefaultHeapFactory(
        choice.settings(), choice.traits(), choice.collectors().make(problems), choice.recording());
  }

  private static Config resolve(Config config, Problems problems) {
    try {
      return config.isResolved() ? config : Hocon.resolve(config, "the configuration");
    } catch (ConfigException e) {
      problems.add(String.valueOf(e.getMessage()));
      throw problems.exception();
    }
  }

  private static ConfigObject root(Config config, Problems problems) {
    ConfigValue root = config.root().get(SettingsReader.ROOT);
    if (root != null && !(root instanceof ConfigObject)) {
      problems.add(SettingsReader.ROOT, root, "must be a section { … }");
    }
    return Layers.section(config.root(), SettingsReader.ROOT);
  }

  /** The defaults of this library and of the plug-ins, from wherever their classes come. */
  private static ConfigObject references(
      CollectorRegistry registry, Config config, Problems problems) {
    ConfigObject all = ConfigValueFactory.fromMap(Map.of());
    for (ClassLoader loader : registry.loaders()) {
      try {
        Config reference = Hocon.guarded("reference.conf", () -> reference(loader, config));
        all = all.withFallback(Layers.section(reference.root(), SettingsReader.ROOT));
      } catch (ConfigException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return all;
  }

  private static Config reference(ClassLoader loader, Config config) {
    Config parsed = REFERENCES.get(loader);
    if (parsed == null) {
      parsed = parse(loader);
      REFERENCES.put(loader, parsed);
    }
    return parsed.resolveWith(config, ConfigResolveOptions.noSystem());
  }

  private static Config parse(ClassLoader loader) {
    if (loader.equals(Thread.currentThread().getContextClassLoader())
        && !areSystemPropertiesSet()) {
      try { // Config has parsed them, where the program called load()
        return ConfigFactory.defaultReferenceUnresolved(loader).withOnlyPath(SettingsReader.ROOT);
      } catch (ConfigException e) {
        // another library's are wrong, or ours, which the next lines tell
      }
    }
    return ConfigFactory.parseResources(
            "reference.conf", ConfigParseOptions.defaults().setClassLoader(loader))
        .withOnlyPath(SettingsReader.ROOT);
  }

  /** Config puts system properties in place of the defaults that it keeps. */
  private static boolean areSystemPropertiesSet() {
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(SettingsReader.ROOT)) {
        return true;
      }
    }
    return false;
  }

  private static ConfigObject withoutBuildProperties(ConfigObject set) {
    ConfigObject result = set;
    for (String key : NOT_SETTINGS) {
      ConfigValue value = set.get(key);
      if (value != null && value.origin().description().contains("system properties")) {
        result = result.withoutKey(key);
      }
    }
    return result;
  }
}
