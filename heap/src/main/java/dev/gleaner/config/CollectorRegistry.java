package dev.gleaner.config;

import dev.gleaner.settings.Names;
import dev.gleaner.spi.CollectorProvider;
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
 * the others are there all the same. A class that several loaders lead to counts once; one that
 * several plug-in jars have is left out, as chance would decide. Of several providers with one name
 * the first found stays, and the others are problems.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class CollectorRegistry {

  private static final String LEGAL_NAME = "[a-z][a-z0-9-]*";

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
  private final Set<ClassLoader> loaders = new LinkedHashSet<>();

  private CollectorRegistry() {}

  /**
   * Looks for collectors.
   *
   * @param loaders class loaders to search beside the library's own and the context's, such as a
   *     {@link PluginPath}'s
   * @return what was found, with what was wrong
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

  /** {@return the installed collectors, by name} */
  public List<Plugin> plugins() {
    return List.copyOf(plugins.values());
  }

  /** {@return the names of the installed collectors, in order} */
  public Collection<String> names() {
    return Collections.unmodifiableSet(plugins.keySet());
  }

  /** {@return what was wrong with providers that are left out, a text each} */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /**
   * {@return the collector of that name, null if there is none}
   *
   * @param name as the configuration gives it
   */
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
      case 0 -> "none is installed (is dev.gleaner:gleaner-collector-" + name + " missing?)";
      case 1 -> "there is only " + Names.among(name, plugins.keySet());
      default -> "there are " + Names.among(name, plugins.keySet());
    };
  }

  private void search(ClassLoader loader) {
    if (loader instanceof PluginLoader plugins) {
      plugins.problems().forEach(this::note);
    }
    Spliterator<ServiceLoader.Provider<CollectorProvider>> found;
    try {
      found = ServiceLoader.load(CollectorProvider.class, loader).stream().spliterator();
    } catch (ServiceConfigurationError | LinkageError e) {
      note(Reasons.text(e));
      return;
    }
    Set<Listing> blamed = new HashSet<>();
    // The loader goes past the culprit, but for a folder or jar that it cannot read at all.
    for (int failures = 0; failures < MOST_FAILURES; ) {
      try {
        if (!found.tryAdvance(this::add)) {
          return;
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        failures++;
        note(explain(loader, e, blamed));
      }
    }
  }

  /** Says which of the classes that are listed it is, the next one that is broken, and why. */
  private static String explain(ClassLoader loader, Error e, Set<Listing> blamed) {
    List<String> words = List.of(String.valueOf(e.getMessage()).split(" ", -1));
    for (Listing listing : Listing.of(loader)) {
      boolean meant = e instanceof LinkageError || words.contains(listing.type());
      String fault = meant && !blamed.contains(listing) ? listing.fault(loader) : null;
      if (fault != null) {
        blamed.add(listing);
        return listing.who() + ": " + fault;
      }
    }
    return Reasons.text(e);
  }

  private void add(ServiceLoader.Provider<CollectorProvider> found) {
    Class<? extends CollectorProvider> type = found.type();
    boolean refused =
        type.getClassLoader() instanceof PluginLoader loader && loader.refuses(type.getName());
    if (refused || !seen.add(type)) {
      return;
    }
    CodeSource source = CodeSource.of(type);
    String who = type.getName() + " in " + source.location();
    CollectorProvider provider;
    String name;
    String doing = "made";
    try {
      provider = found.get();
      doing = "asked its name";
      name = provider.name();
    } catch (Throwable e) { // whatever a plug-in does must not hide the others
      Throwable why =
          e instanceof ServiceConfigurationError && e.getCause() != null ? e.getCause() : e;
      note(
          "collector plug-in %s cannot be %s: %s"
              .formatted(who, doing, Reasons.text(why, source.location())));
      return;
    }
    if (name == null || !isLegal(name)) {
      note(
          "collector plug-in %s: its name %s, but must match %s"
              .formatted(who, name == null ? "is null" : "is \"" + name + "\"", LEGAL_NAME));
      return;
    }
    Plugin first = plugins.get(name);
    if (first != null) {
      note(
          ("collector plug-in %s: the name %s belongs to %s in %s;"
                  + " a collector needs a name of its own")
              .formatted(who, name, first.provider().getClass().getName(), first.location()));
      return;
    }
    plugins.put(name, new Plugin(provider, name, source.version(), source.location()));
  }

  /** Whether it matches {@link #LEGAL_NAME}; a start compiles no regular expression for that. */
  private static boolean isLegal(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = c >= 'a' && c <= 'z';
      boolean inside = (c >= '0' && c <= '9') || c == '-';
      if (!letter && (i == 0 || !inside)) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private void note(String problem) {
    if (!problems.contains(problem)) {
      problems.add(problem);
    }
  }
}
