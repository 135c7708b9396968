package dev.gleaner.config;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.CollectorRegistry.Plugin;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.settings.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Tries whether a collector works at all: a heap of 64 KiB under its own defaults, one record, one
 * collection. A provider that can be made says little: most of a plug-in is linked only when it is
 * used.
 */
@API(status = API.Status.INTERNAL)
public final class PluginProbe {
  private PluginProbe() {}

  /**
   * Opens a heap and uses it.
   *
   * @param plugin the collector's plug-in
   * @param loaders class loaders that lead to the collector
   * @return in one line what is wrong; null if nothing is
   */
  public static @Nullable String problem(Plugin plugin, List<ClassLoader> loaders) {
    try (Heap heap = open(plugin.name(), loaders)) {
      Mutator mutator = heap.mutator();
      mutator.enter(1);
      mutator.newRecord(0, 1);
      heap.collect();
      mutator.leave();
      return null;
    } catch (ConfigurationException e) {
      return String.join("; ", e.problems());
    } catch (Throwable e) { // whatever a plug-in does
      return "collector %s in %s cannot open a heap: %s"
          .formatted(plugin.name(), plugin.location(), Reasons.text(e, plugin.location()));
    }
  }

  private static Heap open(String name, List<ClassLoader> loaders) {
    return FactoryBuilder.build(
            ConfigFactory.parseMap(
                Map.of("gleaner.collector", name, "gleaner.memory.max", "64KiB")),
            loaders)
        .open("probe");
  }
}
