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
   * <p>Bind with {@code toInstance} or {@code toProvider(lambda)}: other bindings make Guice
   * generate bytecode, which prints a warning. The module reads the settings as {@link #factory}
   * does.
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
