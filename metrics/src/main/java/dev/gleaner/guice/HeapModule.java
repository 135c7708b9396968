package dev.gleaner.guice;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.MapBinder;
import com.google.inject.multibindings.OptionalBinder;
import com.google.inject.name.Names;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.metrics.MeteredHeapFactory;
import dev.gleaner.settings.HeapSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Heaps in a program that Guice wires. The program installs the module into its own injector, which
 * then has
 *
 * <pre>
 *   HeapFactory                      of the collector that the configuration chose
 *   &#64;Named("hybrid") HeapFactory     of each collector that is installed, by its name
 *   Map&lt;String, HeapFactory&gt;         the same; Map&lt;String, Provider&lt;HeapFactory&gt;&gt; makes none yet
 *   HeapSettings                     the general settings of the first
 * </pre>
 *
 * <p>There is one factory for each collector. It is made when the program first asks for it. If the
 * program binds a {@link MeterRegistry}, the factory is a {@link MeteredHeapFactory} whose meters
 * are bound to that registry.
 *
 * <p>No binding here makes Guice generate bytecode, so Guice prints no warning on JDK 24 and newer
 * because of this module.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class HeapModule extends AbstractModule {
  private final Config config;
  private final List<ClassLoader> loaders;
  private final Iterable<Tag> tags;
  private final HeapFactory chosen;

  /**
   * Checks the program's configuration, {@code ConfigFactory.load()}.
   *
   * @throws dev.gleaner.settings.ConfigurationException listing everything that is wrong
   */
  public HeapModule() {
    this(ConfigFactory.load());
  }

  /**
   * Checks a configuration.
   *
   * @param config with the settings under {@code gleaner}
   * @throws dev.gleaner.settings.ConfigurationException listing everything that is wrong
   */
  public HeapModule(Config config) {
    this(config, List.of());
  }

  /**
   * Checks a configuration.
   *
   * @param config with the settings under {@code gleaner}
   * @param pluginLoaders class loaders that lead to more collectors
   * @throws dev.gleaner.settings.ConfigurationException listing everything that is wrong
   */
  public HeapModule(Config config, List<ClassLoader> pluginLoaders) {
    this(config, List.copyOf(pluginLoaders), Tags.empty());
  }

  private HeapModule(Config config, List<ClassLoader> loaders, Iterable<Tag> tags) {
    this.config = config;
    this.loaders = loaders;
    this.tags = tags;
    this.chosen = Gleaner.factory(config, loaders);
  }

  /**
   * {@return this module with more tags on all meters}
   *
   * @param more the tags. Two injectors with one registry need different tags
   */
  public HeapModule tagged(Iterable<Tag> more) {
    return new HeapModule(config, loaders, Tags.of(tags).and(more));
  }

  @Override
  protected void configure() {
    OptionalBinder<MeterRegistry> _ =
        OptionalBinder.newOptionalBinder(binder(), MeterRegistry.class);
    Provider<Optional<MeterRegistry>> registry = getProvider(Key.get(new TypeLiteral<>() {}));
    bind(HeapSettings.class).toInstance(chosen.settings());
    bind(HeapFactory.class)
        .toProvider(getProvider(Key.get(HeapFactory.class, Names.named(chosen.collector()))));
    MapBinder<String, HeapFactory> byName =
        MapBinder.newMapBinder(binder(), String.class, HeapFactory.class);
    for (String name : Gleaner.collectors(loaders)) {
      Once factory = new Once(() -> make(name), registry);
      bind(HeapFactory.class).annotatedWith(Names.named(name)).toProvider(factory);
      byName.addBinding(name).toProvider(factory);
    }
  }

  private HeapFactory make(String collector) {
    return collector.equals(chosen.collector())
        ? chosen
        : Gleaner.factory(
            config.withValue("gleaner.collector", ConfigValueFactory.fromAnyRef(collector)),
            loaders);
  }

  /** One factory for an injector, made when somebody asks. */
  private final class Once implements Provider<HeapFactory> {
    private final Supplier<HeapFactory> plain;
    private final Provider<Optional<MeterRegistry>> registry;
    private @Nullable HeapFactory made;

    Once(Supplier<HeapFactory> plain, Provider<Optional<MeterRegistry>> registry) {
      this.plain = plain;
      this.registry = registry;
    }

    @Override
    public synchronized HeapFactory get() {
      HeapFactory factory = made;
      if (factory == null) {
        factory = registry.get().map(this::metered).orElseGet(plain);
        made = factory;
      }
      return factory;
    }

    private HeapFactory metered(MeterRegistry meters) {
      MeteredHeapFactory factory = new MeteredHeapFactory(plain.get(), tags);
      factory.bindTo(meters);
      return factory;
    }
  }
}
