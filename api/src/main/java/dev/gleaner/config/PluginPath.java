package dev.gleaner.config;

import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.apiguardian.api.API;

/**
 * Jars of collectors that are not on the class path: a class loader for them, and what is wrong
 * with them.
 *
 * <p>One loader for all, so that a plug-in finds its own dependencies in the jars beside it. A jar
 * that is wrong is left out and does not hide the others.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class PluginPath implements AutoCloseable {

  private static final String SERVICE = "META-INF/services/" + CollectorProvider.class.getName();

  private final URLClassLoader loader;
  private final List<String> problems;

  private PluginPath(URLClassLoader loader, List<String> problems) {
    this.loader = loader;
    this.problems = List.copyOf(problems);
  }

  /**
   * Opens a path.
   *
   * @param entries jars, folders of jars, and folders of classes (with a {@code META-INF})
   */
  public static PluginPath of(List<Path> entries) {
    List<Path> found = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path entry : entries) {
      int before = found.size();
      if (!Files.exists(entry)) {
        problems.add(entry + ": no such file or folder");
        continue;
      }
      boolean providers = false;
      for (Path candidate : candidates(entry, problems)) {
        providers |= add(candidate, found, problems);
      }
      if (found.size() > before && !providers) {
        problems.add(entry + ": no collector in it: there is no " + SERVICE);
      }
    }
    ClassLoader parent = Thread.currentThread().getContextClassLoader();
    return new PluginPath(
        new URLClassLoader(
            "gleaner-plugins",
            urls(found),
            seesApi(parent) ? parent : CollectorProvider.class.getClassLoader()),
        problems);
  }

  /** Returns the loader for {@code Gleaner.factory} and {@link CollectorRegistry#discover}. */
  public ClassLoader loader() {
    return loader;
  }

  /** Returns what is wrong with the path, a text each. */
  public List<String> problems() {
    return problems;
  }

  /** Closes the jars; classes that are not loaded by then cannot be. */
  @Override
  public void close() {
    try {
      loader.close();
    } catch (IOException e) {
      System.getLogger(PluginPath.class.getName())
          .log(System.Logger.Level.WARNING, "cannot close the plug-in jars", e);
    }
  }

  private static List<Path> candidates(Path entry, List<String> problems) {
    if (!Files.isDirectory(entry) || Files.isDirectory(entry.resolve("META-INF"))) {
      return List.of(entry);
    }
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(entry, "*.jar")) {
      files.forEach(jars::add);
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      problems.add(entry + ": cannot be read: " + e);
      return jars;
    }
    if (jars.isEmpty()) {
      problems.add(entry + ": no jar in this folder");
    }
    jars.sort(null);
    return jars;
  }

  /** Adds the jar if it is one; returns whether it declares a collector. */
  private static boolean add(Path entry, List<Path> found, List<String> problems) {
    if (Files.isDirectory(entry)) {
      found.add(entry);
      return Files.exists(entry.resolve(SERVICE));
    }
    try (JarFile jar = new JarFile(entry.toFile())) {
      found.add(entry);
      return jar.getEntry(SERVICE) != null;
    } catch (IOException e) {
      problems.add(entry + ": not a jar: " + e.getMessage());
      return false;
    }
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

  private static boolean seesApi(ClassLoader loader) {
    try {
      return loader != null
          && loader.loadClass(CollectorProvider.class.getName()) == CollectorProvider.class;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
