package dev.gleaner.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.gleaner.config.CollectorRegistry.Plugin;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.Layers;
import dev.gleaner.settings.Problems;
import dev.gleaner.settings.Section;
import dev.gleaner.settings.SettingValues;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.GuiceCollectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole of {@code gleaner}: the general settings, those of the chosen collector, and
 * those that somebody set for another one, which are wrong as soon as they are written and not only
 * once they are used.
 */
record SettingsReader(
    CollectorRegistry registry, ConfigObject set, ConfigObject defaults, Problems problems) {
  static final String ROOT = "gleaner";
  private static final String COLLECTOR = "collector";
  private static final String COLLECTORS = "collectors";

  /**
   * What the configuration chose.
   *
   * @param collectors makes the collector's factory
   * @param recording what is asked for by {@code trace}; null if nothing is
   */
  record Choice(
      Plugin plugin,
      HeapSettings settings,
      CollectorTraits traits,
      Collectors collectors,
      @Nullable Recording recording) {}

  /** Makes the factory of collectors that was chosen. */
  @FunctionalInterface
  interface Collectors {
    /**
     * Makes it.
     *
     * @throws dev.gleaner.settings.ConfigurationException listing all problems
     */
    CollectorFactory make(Problems problems);
  }

  /** Returns what was chosen; null only if there are problems. */
  @Nullable Choice read() {
    Section root = new Section(List.of(layer(ROOT, set), layer(ROOT, defaults)), problems);
    Plugin chosen = chosen(root);
    Choice choice = null;
    Set<String> general;
    if (chosen != null) {
      Section section = generalSection(chosen.name());
      choice = read(chosen, section);
      general = section.known();
    } else {
      GeneralSettings.read(root, "");
      Path _ = GeneralSettings.traceFile(root);
      general = Set.copyOf(root.known());
    }
    checkOthers(chosen);
    Set<String> known = new TreeSet<>(general);
    known.add(COLLECTOR);
    known.add(COLLECTORS);
    known.addAll(ofOthers());
    root.noteUnknown(known);
    return problems.isEmpty() ? choice : null;
  }

  /** Sections that have defaults: what is none of ours is another library's, which reads it. */
  private List<String> ofOthers() {
    List<String> names = new ArrayList<>();
    for (Map.Entry<String, ConfigValue> entry : defaults.entrySet()) {
      if (entry.getValue() instanceof ConfigObject) {
        names.add(entry.getKey());
      }
    }
    return names;
  }

  private @Nullable Plugin chosen(Section root) {
    String name = root.text(COLLECTOR);
    Plugin plugin = registry.find(name);
    ConfigValue value = root.value(COLLECTOR);
    if (plugin == null && value != null && SettingValues.text(value) != null) {
      root.reject(COLLECTOR, "no collector of that name; " + registry.among(name));
      registry.problems().forEach(problems::add);
    }
    return plugin;
  }

  /** Checks the sections that somebody wrote for collectors that are not chosen. */
  private void checkOthers(@Nullable Plugin chosen) {
    ConfigValue all = set.get(COLLECTORS);
    if (all != null && !(all instanceof ConfigObject)) {
      problems.add(
          ROOT + "." + COLLECTORS,
          all,
          "must be a section { … } with a section for each collector");
    }
    for (Map.Entry<String, ConfigValue> entry : Layers.section(set, COLLECTORS).entrySet()) {
      String name = entry.getKey();
      Plugin plugin = registry.find(name);
      if (plugin == null) {
        problems.add(
            entry.getValue().origin(),
            collectorPath(name) + ": no collector of that name; " + registry.among(name));
        registry.problems().forEach(problems::add);
      } else if (!plugin.equals(chosen)) {
        read(plugin, generalSection(name));
      }
    }
  }

  private @Nullable Choice read(Plugin plugin, Section general) {
    String name = plugin.name();
    HeapSettings settings = GeneralSettings.read(general, name);
    Path trace = GeneralSettings.traceFile(general);
    String path = collectorPath(name);
    Section own =
        new Section(
            List.of(
                layer(path, Layers.section(Layers.section(set, COLLECTORS), name)),
                layer(path, ownDefaults(plugin))),
            problems);
    noteNoSection(name);
    CollectorProvider provider = plugin.provider();
    CollectorSettings both = new CollectorSettings(settings, own);
    CollectorTraits traits = null;
    Collectors collectors = null;
    try {
      traits = provider.traits(both);
      collectors = collectors(plugin, both);
    } catch (Throwable e) { // a plug-in's fault must not look like ours
      problems.add(plugin.broken(Reasons.text(e, plugin.location())));
      return null;
    }
    if (traits == null
        || collectors == null) { // the compiler of a plug-in need not know of @NullMarked
      problems.add(plugin.broken("it has no " + (traits == null ? "traits" : "factory")));
      return null;
    }
    own.noteUnknown(general.known());
    general.noteUnknownInside();
    Recording recording = trace == null ? null : recording(trace, name, general.known());
    return new Choice(plugin, settings, traits, collectors, recording);
  }

  private static @Nullable Collectors collectors(Plugin plugin, CollectorSettings settings) {
    if (plugin.provider() instanceof GuiceCollectorProvider wired) {
      return InjectedCollectors.of(plugin, wired, settings);
    }
    CollectorFactory factory = plugin.provider().factory(settings);
    return factory == null ? null : all -> factory;
  }

  /** A plug-in without any has none in its jar: that is where they are missed. */
  private ConfigObject ownDefaults(Plugin plugin) {
    ConfigObject all = Layers.section(defaults, COLLECTORS);
    ConfigObject own = Layers.section(all, plugin.name());
    return all.containsKey(plugin.name())
        ? own
        : own.withOrigin(ConfigOriginFactory.newSimple(plugin.location()));
  }

  /** A trace has the settings twice: for the same collector, and for others. */
  private Recording recording(Path file, String name, Set<String> general) {
    ConfigObject all =
        Layers.section(Layers.section(set, COLLECTORS), name)
            .withFallback(only(general, set))
            .withFallback(Layers.section(Layers.section(defaults, COLLECTORS), name))
            .withFallback(only(general, defaults));
    ConfigObject inForce = all;
    ConfigObject own = all;
    for (String key : all.keySet()) {
      if (general.contains(key)) {
        own = own.withoutKey(key);
      } else {
        inForce = inForce.withoutKey(key);
      }
    }
    inForce = inForce.withValue(COLLECTORS, own.atKey(name).root());
    return new Recording(file, name, text(only(general, set)), text(inForce));
  }

  private static ConfigObject only(Set<String> keys, ConfigObject settings) {
    ConfigObject result = settings;
    for (String key : settings.keySet()) {
      if (!keys.contains(key)) {
        result = result.withoutKey(key);
      }
    }
    return result;
  }

  private static String text(ConfigObject settings) {
    return settings.withoutKey("trace").atKey(ROOT).root().render(ConfigRenderOptions.concise());
  }

  private void noteNoSection(String name) {
    ConfigValue value = Layers.section(set, COLLECTORS).get(name);
    if (value != null && !(value instanceof ConfigObject)) {
      problems.add(collectorPath(name), value, "must be a section { … }");
    }
  }

  /** The general settings as one collector gets them. */
  private Section generalSection(String name) {
    String path = collectorPath(name);
    List<Section.Layer> layers = new ArrayList<>();
    layers.add(layer(path, Layers.section(Layers.section(set, COLLECTORS), name)));
    layers.add(layer(ROOT, set));
    layers.add(layer(path, Layers.section(Layers.section(defaults, COLLECTORS), name)));
    layers.add(layer(ROOT, defaults));
    return new Section(layers, problems);
  }

  private static String collectorPath(String name) {
    return ROOT + "." + ConfigUtil.joinPath(COLLECTORS, name);
  }

  private static Section.Layer layer(String path, ConfigObject values) {
    return new Section.Layer(path, values);
  }
}
