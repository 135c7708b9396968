package dev.gleaner.config;

import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * Jars of collectors that are not on the class path: a class loader for them, and what is wrong
 * with them.
 *
 * <p>One loader for all, so that a plug-in finds its own dependencies in the jars beside it. A jar
 * that is wrong is left out and does not hide the others. A provider that no services file lists,
 * as when jars were packed into one and their services files were not merged, is found by reading
 * the class files.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class PluginPath implements AutoCloseable {

  private final PluginLoader loader;

  private PluginPath(PluginLoader loader) {
    this.loader = loader;
  }

  /**
   * Opens a path.
   *
   * @param entries jars, folders of jars, and folders of classes (with a {@code META-INF})
   * @return the path, to be closed when no heap of its collectors is open any more
   */
  public static PluginPath of(List<Path> entries) {
    List<String> problems = new ArrayList<>();
    List<List<Path>> places = new ArrayList<>();
    for (Path entry : entries) {
      List<Path> found = new ArrayList<>();
      if (Files.exists(entry)) {
        for (Path candidate : candidates(entry, problems)) {
          if (isReadable(candidate, problems)) {
            found.add(candidate);
          }
        }
      } else {
        problems.add(entry + ": no such file or folder");
      }
      places.add(found);
    }
    List<Path> all = places.stream().flatMap(List::stream).toList();
    PluginLoader loader = new PluginLoader(all);
    List<Listing> listings = Listing.of(loader);
    ProviderScan scan = ProviderScan.of(all);
    for (int i = 0; i < places.size(); i++) {
      problems.addAll(missing(entries.get(i), places.get(i), listings, scan, loader));
    }
    loader.note(problems);
    return new PluginPath(loader);
  }

  /** {@return the loader for {@code Gleaner.factory} and {@link CollectorRegistry#discover}} */
  public ClassLoader loader() {
    return loader;
  }

  /**
   * {@return what is wrong with the path, a text each} {@link CollectorRegistry#problems} has these
   * too when it was given the loader.
   */
  public List<String> problems() {
    return loader.problems();
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

  private static boolean isReadable(Path place, List<String> problems) {
    if (Files.isDirectory(place)) {
      return true;
    }
    try (JarFile _ = new JarFile(place.toFile())) {
      return true;
    } catch (IOException e) {
      problems.add(place + ": not a jar: " + e.getMessage());
      return false;
    }
  }

  /** Says which providers of an entry are not listed, or that it has none at all. */
  private static List<String> missing(
      Path entry,
      List<Path> places,
      List<Listing> listings,
      ProviderScan scan,
      PluginLoader loader) {
    List<String> problems = new ArrayList<>();
    Set<String> listed = listings.stream().map(Listing::type).collect(Collectors.toSet());
    boolean any = places.isEmpty();
    for (Path place : places) {
      List<String> here =
          listings.stream()
              .filter(each -> each.place().equals(absolute(place)))
              .map(Listing::type)
              .toList();
      SortedSet<String> unlisted = new TreeSet<>(scan.providers(place));
      unlisted.removeAll(listed);
      unlisted.removeIf(loader::isFromParent);
      if (!unlisted.isEmpty()) {
        problems.add(place + ": " + unlisted(unlisted, here));
      }
      any |= !here.isEmpty() || !unlisted.isEmpty();
    }
    if (!any) {
      problems.add(entry + ": no collector in it: there is no " + Listing.FILE);
    }
    return problems;
  }

  private static String unlisted(Set<String> types, List<String> listed) {
    return String.join(", ", types)
        + (types.size() == 1 ? " implements " : " implement ")
        + CollectorProvider.class.getName()
        + ", but "
        + (listed.isEmpty()
            ? "there is no " + Listing.FILE + " to list "
            : Listing.FILE + " lists only " + String.join(", ", listed) + ", not ")
        + (types.size() == 1 ? "it" : "them")
        + "; packing several jars into one must merge these files";
  }

  private static String absolute(Path place) {
    return Path.of(place.toUri()).toString();
  }
}
