package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
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

  /** What heaps of the same settings have in common. */
  private record Shop(HeapFactory factory, boolean finalizesInPlace) {}

  private final Map<String, Shop> shops =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Shop> eldest) {
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
    HeapFactory factory = shop(plan).factory;
    return plan.setup().ownFunctions() && plan.mode() == Mode.FULL
        ? factory.open("oracle", defaults -> new MovingFunctions(defaults, plan.seed()))
        : factory.open("oracle");
  }

  /** Opens a heap from an image. */
  Heap open(Plan plan, HeapImage image, ImageBindings bindings) {
    opened.run();
    return shop(plan).factory.open("oracle", image, bindings);
  }

  /** Whether finalizers run on the thread that is running, as in Duktape 1.x. */
  boolean finalizeInPlace(Plan plan) {
    return shop(plan).finalizesInPlace;
  }

  private Shop shop(Plan plan) {
    return shops.computeIfAbsent(
        plan.settings(),
        s -> {
          Config all = config(s);
          String own = "gleaner.collectors." + collector;
          return new Shop(
              Gleaner.factory(all, pluginLoaders),
              is(all, own + ".compatibility", "duktape-1")
                  || is(all, own + ".finalization", "inline"));
        });
  }

  private static boolean is(Config all, String path, String word) {
    return all.hasPath(path) && all.getString(path).equals(word);
  }

  /** The plan's settings take precedence over the user's. */
  private Config config(String plan) {
    return ConfigFactory.parseString("gleaner {\ncollector = " + collector + "\n" + plan + "\n}")
        .withFallback(settings);
  }
}
