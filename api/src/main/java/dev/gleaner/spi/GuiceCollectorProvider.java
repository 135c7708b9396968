package dev.gleaner.spi;

import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.Stage;
import dev.gleaner.settings.HeapSettings;
import org.apiguardian.api.API;

/**
 * A collector plug-in whose parts are injected by Guice. Its own build names Guice as a dependency;
 * the heap brings it at run time.
 */
@API(status = API.Status.STABLE, since = "0.1")
public interface GuiceCollectorProvider extends CollectorProvider {

  /**
   * {@return the module that binds {@link CollectorFactory}; {@link HeapSettings} are bound
   * already}
   *
   * <p>Read the settings before the module is returned, as {@link #factory} does. A policy is then
   * bound with {@code toInstance}, and what is built of policies asks the binder for them:
   *
   * <pre>{@code
   * Provider<Pacing> pacing = binder.getProvider(Pacing.class);
   * binder.bind(CollectorFactory.class).toProvider(() -> factory(pacing.get()));
   * }</pre>
   *
   * <p>Constructors with {@code @Inject} and methods with {@code @Provides} make Guice 7 generate
   * bytecode, which prints a warning on JDK 24 and newer.
   *
   * @param settings the general settings, and those of the collector alone
   */
  Module module(CollectorSettings settings);

  /** {@return the factory that {@link #module} binds} */
  @Override
  default CollectorFactory factory(CollectorSettings settings) {
    return Guice.createInjector(
            Stage.PRODUCTION,
            binder -> binder.bind(HeapSettings.class).toInstance(settings.general()),
            module(settings))
        .getInstance(CollectorFactory.class);
  }
}
