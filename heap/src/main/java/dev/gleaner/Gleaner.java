package dev.gleaner;

import com.typesafe.config.Config;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.config.FactoryBuilder;
import dev.gleaner.heap.HeapFactory;
import java.util.List;
import org.apiguardian.api.API;

/**
 * The way in.
 *
 * <pre>{@code
 * HeapFactory factory = Gleaner.factory(ConfigFactory.load());
 * try (Heap heap = factory.open()) {
 *   Mutator t = heap.mutator();
 *   t.enter(2);
 *   t.newRecord(0, 1);
 *   t.setInt(1, 42);
 *   t.store(0, 0, 1);
 *   t.leave();
 * }
 * }</pre>
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class Gleaner {

  private Gleaner() {}

  /**
   * Checks the configuration and makes a factory of heaps.
   *
   * @param config with the settings under {@code gleaner}, as {@code ConfigFactory.load()} gives
   *     it; what it does not say is as in {@code reference.conf}, even if it was made without
   * @return the factory, which any Java thread may use
   * @throws dev.gleaner.settings.ConfigurationException listing everything that is wrong
   */
  public static HeapFactory factory(Config config) {
    return factory(config, List.of());
  }

  /**
   * Checks the configuration and makes a factory of heaps.
   *
   * @param config with the settings under {@code gleaner}
   * @param pluginLoaders class loaders that lead to more collectors, such as a {@link
   *     java.net.URLClassLoader} of a collector's jar
   * @return the factory, which any Java thread may use
   * @throws dev.gleaner.settings.ConfigurationException listing everything that is wrong
   */
  public static HeapFactory factory(Config config, List<ClassLoader> pluginLoaders) {
    return FactoryBuilder.build(config, pluginLoaders);
  }

  /**
   * {@return the names of the collectors that are installed, in order; those that cannot be used
   * are left out}
   *
   * @param pluginLoaders class loaders that lead to more collectors
   */
  public static List<String> collectors(List<ClassLoader> pluginLoaders) {
    return List.copyOf(CollectorRegistry.discover(pluginLoaders).names());
  }
}
