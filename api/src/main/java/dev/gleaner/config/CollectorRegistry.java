package dev.gleaner.config;

import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.Spliterator;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The collectors that are installed.
 *
 * <p>Looked for with {@link ServiceLoader} in this library's own class loader, in the thread's
 * context class loader and in loaders for plug-in jars, in that order. Each provider stands alone:
 * one that cannot be loaded, made or named is a problem that says which class it is and why, and
 * the others are there all the same. A class that several loaders lead to counts once. Of several
 * providers with one name the first found stays, and the others are problems.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class CollectorRegistry {

  private static final String LEGAL_NAME = "[a-z][a-z0-9-]*";

  private static final String SERVICE = "META-INF/services/" + CollectorProvider.class.getName();
  private static final int MOST_FAILURES = 1000;

  /**
   * An installed collector.
   *
   * @param provider its provider
   * @param name its name
   * @param version of its jar, {@code ?} if the jar does not say
   * @param location its jar or folder of classes
   */
  public record Plugin(CollectorProvider provider, String name, String version, String location) {

    String broken(String why) {
      return "collector " + name + " in " + location + " cannot be set up: " + why;
    }
  }

  private final TreeMap<String, Plugin> plugins = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final Set<Class<?>> seen = new HashSet<>();
  private final Set<String> unlinkable = new HashSet<>();
  private final Set<ClassLoader> loaders = new LinkedHashSet<>();

  private CollectorRegistry() {}

  /**
   * Looks for collectors.
   *
   * @param loaders class loaders to search beside the library's own and the context's, such as a
   *     {@link PluginPath}'s
   */
  public static CollectorRegistry discover(List<ClassLoader> loaders) {
    List<ClassLoader> ordered = new ArrayList<>();
    ordered.add(CollectorProvider.class.getClassLoader());
    ordered.add(Thread.currentThread().getContextClassLoader());
    ordered.addAll(loaders);
    CollectorRegistry registry = new CollectorRegistry();
    for (ClassLoader loader : ordered) {
      if (loader != null && registry.loaders.add(loader)) {
        registry.search(loader);
      }
    }
    return registry;
  }

  /** Returns the installed collectors, by name. */
  public List<Plugin> plugins() {
    return List.copyOf(plugins.values());
  }

  /** Returns the names of the installed collectors, in order. */
  public Collection<String> names() {
    return Collections.unmodifiableSet(plugins.keySet());
  }

  /** Returns what was wrong with providers that are left out, a text each. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Returns the collector of that name, null if there is none. */
  public @Nullable Plugin find(String name) {
    return plugins.get(name);
  }

  /** Returns the class loaders in which collectors and their defaults can be. */
  Set<ClassLoader> loaders() {
    Set<ClassLoader> all = new LinkedHashSet<>(loaders);
    for (Plugin plugin : plugins.values()) {
      all.add(plugin.provider().getClass().getClassLoader());
    }
    return all;
  }

  /** Returns {@code there are a, b, c (b?)}. */
  String among(String name) {
    return switch (plugins.size()) {
      case 0 -> "none is installed";
      case 1 -> "there is only " + Names.among(name, plugins.keySet());
      default -> "there are " + Names.among(name, plugins.keySet());
    };
  }

  private void search(ClassLoader loader) {
    Spliterator<ServiceLoader.Provider<CollectorProvider>> found;
    try {
      found = ServiceLoader.load(CollectorProvider.class, loader).stream().spliterator();
    } catch (ServiceConfigurationError | LinkageError e) {
      note(text(e));
      return;
    }
    // The loader goes past the culprit, but for a folder or jar that it cannot read at all.
    for (int failures = 0; failures < MOST_FAILURES; ) {
      try {
        if (!found.tryAdvance(this::add)) {
          return;
        }
      } catch (ServiceConfigurationError e) {
        failures++;
        note(text(e));
      } catch (LinkageError e) {
        failures++;
        note(culprit(loader) + text(e));
      }
    }
  }

  /**
   * Names the next listed class that cannot be linked, which is what {@link ServiceLoader} keeps to
   * itself.
   */
  private String culprit(ClassLoader loader) {
    try {
      for (URL file : Collections.list(loader.getResources(SERVICE))) {
        for (String line : lines(file)) {
          String name = line.replaceFirst("#.*", "").strip();
          if (!name.isEmpty() && !unlinkable.contains(name) && !links(name, loader)) {
            unlinkable.add(name);
            return "collector plug-in " + name + " of " + file + ": ";
          }
        }
      }
    } catch (IOException e) { // the error itself is reported all the same
      return "";
    }
    return "";
  }

  private static List<String> lines(URL file) throws IOException {
    URLConnection connection = file.openConnection();
    connection.setUseCaches(false);
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static boolean links(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return true; // has a message of its own
    } catch (LinkageError e) {
      return false;
    }
  }

  private void add(ServiceLoader.Provider<CollectorProvider> found) {
    Class<? extends CollectorProvider> type = found.type();
    if (!seen.add(type)) {
      return;
    }
    CodeSource source = CodeSource.of(type);
    String who = type.getName() + " in " + source.location();
    CollectorProvider provider;
    String name;
    try {
      provider = found.get();
      name = provider.name();
    } catch (Throwable e) { // whatever a plug-in does must not hide the others
      note("collector plug-in " + who + ": " + text(e));
      return;
    }
    if (name == null || !name.matches(LEGAL_NAME)) {
      note(
          "collector plug-in "
              + who
              + ": its name "
              + (name == null ? "is null" : "is \"" + name + "\"")
              + ", but must match "
              + LEGAL_NAME);
      return;
    }
    Plugin first = plugins.get(name);
    if (first != null) {
      note(
          "collector plug-in "
              + who
              + ": the name "
              + name
              + " belongs to "
              + first.provider().getClass().getName()
              + " in "
              + first.location());
      return;
    }
    plugins.put(name, new Plugin(provider, name, source.version(), source.location()));
  }

  private void note(String problem) {
    if (!problems.contains(problem)) {
      problems.add(problem);
    }
  }

  /** Returns the throwable and its causes in one line. */
  static String text(Throwable e) {
    StringBuilder text = new StringBuilder();
    Throwable at = e;
    for (int depth = 0; at != null && depth < 8; depth++) {
      boolean wrapper =
          at instanceof InvocationTargetException || at instanceof ExceptionInInitializerError;
      if (!wrapper || at.getCause() == null) {
        text.append(text.isEmpty() ? "" : ": ").append(one(at));
      }
      at = at.getCause();
    }
    return text.toString().replaceAll("\\s+", " ");
  }

  private static String one(Throwable e) {
    // The text of a ServiceConfigurationError says all by itself.
    String message = e.getMessage();
    return e instanceof ServiceConfigurationError && message != null ? message : e.toString();
  }
}
