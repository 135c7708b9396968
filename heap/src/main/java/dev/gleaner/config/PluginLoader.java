package dev.gleaner.config;

import dev.gleaner.spi.CollectorProvider;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The loader of a {@link PluginPath}. Brings along what is wrong with the path, so that whoever
 * looks for collectors in it learns that, too.
 */
final class PluginLoader extends URLClassLoader {

  private final List<String> problems = new ArrayList<>();
  private final Set<String> refused = new HashSet<>();

  PluginLoader(List<Path> paths) {
    super("gleaner-plugins", urls(paths), parent());
  }

  private static URL[] urls(List<Path> paths) {
    URL[] urls = new URL[paths.size()];
    for (int i = 0; i < urls.length; i++) {
      try {
        urls[i] = paths.get(i).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException("not a file: " + paths.get(i), e);
      }
    }
    return urls;
  }

  private static ClassLoader parent() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return seesApi(context) ? context : CollectorProvider.class.getClassLoader();
  }

  private static boolean seesApi(ClassLoader loader) {
    try {
      return loader != null
          && loader.loadClass(CollectorProvider.class.getName()) == CollectorProvider.class;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Returns where a class of that name is another loader's, which this one asks first, or null. */
  @Nullable URL fromParent(String type) {
    return getParent().getResource(type.replace('.', '/') + ".class");
  }

  /** Leaves out a provider that several jars have. */
  void refuse(String type) {
    refused.add(type);
  }

  boolean refuses(String type) {
    return refused.contains(type);
  }

  void note(List<String> more) {
    problems.addAll(more);
  }

  List<String> problems() {
    return List.copyOf(problems);
  }
}
