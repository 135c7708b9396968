package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Binder;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.Stage;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.guice.HeapModule;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.it.ForkedJvm.Result;
import dev.gleaner.metrics.MeteredHeapFactory;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Guice module that programs install, and the page about it. */
@Tag("G1")
class HeapModuleTest {
  private static final TypeLiteral<Map<String, HeapFactory>> ALL = new TypeLiteral<>() {};
  private static final TypeLiteral<Map<String, Provider<HeapFactory>>> LAZY =
      new TypeLiteral<>() {};

  @TempDir private Path folder;

  /** A collector that cannot be set up. */
  public static final class Unable implements CollectorProvider {
    @Override
    public String name() {
      return "unable";
    }

    @Override
    public String description() {
      return "cannot be set up";
    }

    @Override
    public CollectorTraits traits(CollectorSettings settings) {
      throw new IllegalStateException("not today");
    }

    @Override
    public CollectorFactory factory(CollectorSettings settings) {
      throw new IllegalStateException("not today");
    }
  }

  private static Config config(String settings) {
    return ConfigFactory.parseString("gleaner { " + settings + " }");
  }

  private static Key<HeapFactory> named(String collector) {
    return Key.get(HeapFactory.class, Names.named(collector));
  }

  private static void expectOpen(HeapFactory factory, String collector) {
    try (Heap heap = factory.open()) {
      assertThat(heap.collector()).isEqualTo(collector);
    }
  }

  @Test
  void hasAFactoryForEachCollector() {
    Injector injector = Guice.createInjector(new HeapModule(config("collector = semispace")));
    Map<String, HeapFactory> all = injector.getInstance(Key.get(ALL));
    assertThat(all.keySet()).containsExactlyElementsOf(Installed.collectors());
    all.forEach((name, factory) -> {
      expectOpen(factory, name);
      assertThat(factory)
          .isSameAs(injector.getInstance(named(name)))
          .isNotInstanceOf(MeteredHeapFactory.class);
    });
    assertThat(injector.getInstance(HeapFactory.class)).isSameAs(all.get("semispace"));
  }

  @Test
  void hasTheSettingsInForce() {
    HeapSettings settings =
        Guice.createInjector(
                new HeapModule(
                    config(
                        "collector = hybrid, memory.max = 8MiB, collectors.hybrid.memory.max ="
                            + " 4MiB")))
            .getInstance(HeapSettings.class);
    assertThat(settings.collector()).isEqualTo("hybrid");
    assertThat(settings.memory().max()).isEqualTo(4 << 20);
  }

  @Test
  void bindsMetersToTheProgramsRegistry() {
    MeterRegistry registry = new SimpleMeterRegistry();
    HeapModule module = new HeapModule(config("collector = hybrid"));
    Injector injector = Guice.createInjector(Stage.PRODUCTION, module, b -> bind(b, registry));
    assertThat(registry.getMeters()).as("nobody asked for a factory yet").isEmpty();
    try (Heap _ = injector.getInstance(HeapFactory.class).open();
        Heap _ = injector.getInstance(named("hybrid")).open()) {
      assertThat(open(registry, "hybrid")).isEqualTo(2);
      assertThat(registry.find("gleaner.heaps").gauges()).hasSize(1);
    }
    assertThat(open(registry, "hybrid")).isZero();
    Injector again = Guice.createInjector(module, b -> bind(b, registry));
    assertThatThrownBy(() -> again.getInstance(HeapFactory.class))
        .hasRootCauseInstanceOf(IllegalStateException.class);
    Injector tagged =
        Guice.createInjector(module.tagged(Tags.of("pool", "b")), b -> bind(b, registry));
    assertThat(tagged.getInstance(HeapFactory.class)).isInstanceOf(MeteredHeapFactory.class);
  }

  private static void bind(Binder binder, MeterRegistry registry) {
    binder.bind(MeterRegistry.class).toInstance(registry);
  }

  private static double open(MeterRegistry registry, String collector) {
    return registry.get("gleaner.heaps").tag("collector", collector).gauge().value();
  }

  @Test
  void tellsWhatIsWrongBeforeGuiceSeesIt() {
    Config wrong = config("collector = hybrd, memory.maxx = 3");
    assertThatThrownBy(() -> new HeapModule(wrong))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("no collector of that name")
        .hasMessageContaining("memory.maxx: unknown setting");
  }

  @Test
  void aCollectorThatCannotBeSetUpDisturbsNoOther() throws Exception {
    Path services = Files.createDirectories(folder.resolve(PluginJar.SERVICE).getParent());
    Files.writeString(
        services.resolve(CollectorProvider.class.getName()), Unable.class.getName() + "\n");
    URL[] urls = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      Injector injector =
          Guice.createInjector(
              Stage.PRODUCTION, new HeapModule(config("collector = hybrid"), List.of(loader)));
      Map<String, Provider<HeapFactory>> lazy = injector.getInstance(Key.get(LAZY));
      assertThat(lazy.keySet()).contains("unable", "hybrid");
      expectOpen(injector.getInstance(named("hybrid")), "hybrid");
      assertThatThrownBy(() -> injector.getInstance(named("unable")))
          .hasRootCauseInstanceOf(ConfigurationException.class)
          .hasMessageContaining("not today");
    }
  }

  @Test
  void theProgramOfThePageRunsWithoutAWarning() throws Exception {
    List<String> programs = PagePrograms.of(Files.readString(page()));
    assertThat(programs).hasSize(1);
    String main = PagePrograms.compile(folder, programs.getFirst());
    Result result =
        ForkedJvm.run(
            List.of(ForkedJvm.NATIVE_ACCESS),
            folder + File.pathSeparator + System.getProperty("java.class.path"),
            main);
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .containsExactly("heap-1 under hybrid, 1.0 open", "heap-2 under marksweep, 1.0 open");
  }

  private static Path page() {
    return Path.of(System.getProperty("basedir", System.getProperty("user.dir")))
        .resolve("../docs/guice.md");
  }
}
