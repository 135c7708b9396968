package dev.gleaner.kit.oracle;

import dev.gleaner.collector.marksweep.MarkSweepProvider;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.HeapContext;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A collector with a fault, planted in what it does before and after it collects. */
abstract class Mutant implements CollectorProvider {
  private final CollectorProvider sound = new MarkSweepProvider();

  /** A class loader that leads to one, as to a plug-in in that folder. */
  static URLClassLoader loaderOf(Class<?> provider, Path folder) throws IOException {
    Path services = folder.resolve("META-INF/services");
    Files.createDirectories(services);
    Files.writeString(services.resolve(CollectorProvider.class.getName()), provider.getName());
    // The settings that marksweep asks for.
    Files.writeString(
        folder.resolve("reference.conf"),
        "gleaner.collectors."
            + nameOf(provider)
            + " { compatibility = duktape-2, generational = off, nursery = 8MiB }\n");
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Mutant.class.getClassLoader());
  }

  private static String nameOf(Class<?> provider) {
    try {
      return ((CollectorProvider) provider.getConstructor().newInstance()).name();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  @Override
  public String description() {
    return "has a fault";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return sound.traits(settings);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    CollectorFactory made = sound.factory(settings);
    return context -> faulty(context, made.create(context));
  }

  private Collector faulty(HeapContext context, Collector collector) {
    return (Collector)
        Proxy.newProxyInstance(
            Mutant.class.getClassLoader(),
            new Class<?>[] {Collector.class},
            (proxy, method, arguments) ->
                method.getName().equals("collect")
                    ? collect(context, () -> invoke(collector, method, arguments))
                    : invoke(collector, method, arguments));
  }

  private static @Nullable Object invoke(
      Collector collector, Method method, Object @Nullable [] arguments) {
    try {
      return method.invoke(collector, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private @Nullable Object collect(HeapContext context, Runnable collect) {
    Runnable after = beforeCollecting(context);
    collect.run();
    after.run();
    return null;
  }

  /** Does its worst; answers what it does afterwards. */
  abstract Runnable beforeCollecting(HeapContext context);
}
