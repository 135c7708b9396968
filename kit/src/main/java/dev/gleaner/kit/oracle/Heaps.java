package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Opens the heaps that programs run on. */
final class Heaps {
  final String collector;
  final Config settings;
  final List<ClassLoader> pluginLoaders;
  private final Map<String, HeapFactory> factories = new HashMap<>();

  Heaps(String collector, Config settings, List<ClassLoader> pluginLoaders) {
    this.collector = collector;
    this.settings = settings;
    this.pluginLoaders = List.copyOf(pluginLoaders);
  }

  Heap open(Plan plan) {
    HeapFactory factory =
        factories.computeIfAbsent(plan.settings(), s -> Gleaner.factory(config(s), pluginLoaders));
    return plan.variant().ownFunctions() && plan.mode() == Mode.FULL
        ? factory.open("oracle", defaults -> new MovingFunctions(defaults, plan.seed()))
        : factory.open("oracle");
  }

  /** The plan's settings take precedence over the user's. */
  private Config config(String plan) {
    return ConfigFactory.parseString("gleaner {\ncollector = " + collector + "\n" + plan + "\n}")
        .withFallback(settings);
  }
}
