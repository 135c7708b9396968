package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Opens the heaps that programs run on. */
final class Heaps {
  private static final int MOST_FACTORIES = 50;

  final String collector;
  final Config settings;
  final List<ClassLoader> pluginLoaders;
  private final Runnable opened;
  private final Map<String, HeapFactory> factories =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, HeapFactory> eldest) {
          return size() > MOST_FACTORIES;
        }
      };

  Heaps(String collector, Config settings, List<ClassLoader> pluginLoaders) {
    this(collector, settings, pluginLoaders, () -> {});
  }

  /**
   * @param opened is run for each heap
   */
  Heaps(String collector, Config settings, List<ClassLoader> pluginLoaders, Runnable opened) {
    this.opened = opened;
    this.collector = collector;
    this.settings = settings;
    this.pluginLoaders = List.copyOf(pluginLoaders);
  }

  Heap open(Plan plan) {
    opened.run();
    HeapFactory factory =
        factories.computeIfAbsent(plan.settings(), s -> Gleaner.factory(config(s), pluginLoaders));
    return plan.setup().ownFunctions() && plan.mode() == Mode.FULL
        ? factory.open("oracle", defaults -> new MovingFunctions(defaults, plan.seed()))
        : factory.open("oracle");
  }

  /** The plan's settings take precedence over the user's. */
  private Config config(String plan) {
    return ConfigFactory.parseString("gleaner {\ncollector = " + collector + "\n" + plan + "\n}")
        .withFallback(settings);
  }
}
