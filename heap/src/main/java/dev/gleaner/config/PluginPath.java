package dev.gleaner.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.apiguardian.api.API;

/**
 * Jars of collectors that are not on the class path: a class loader for them, and what is wrong
 * with them.
 *
 * <p>One loader for all, so that a plug-in finds its own dependencies in the jars beside it. A jar
 * that is wrong is left out and does not hide the others. A provider that several jars have is left
 * out of all of them: which one it would be is chance. One that the class path has, too, is that
 * one's. A provider that no services file lists, as when jars were packed into one and their
 * services files were not merged, is found by reading the class files.
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
    Set<Path> files = new HashSet<>();
    for (Path entry : entries) {
      List<Path> found = new ArrayList<>();
      if (Files.exists(entry)) {
        for (Path candidate : candidates(entry, problems)) {
          if (isReadable(candidate, problems) && files.add(real(candidate))) {
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
    if (entries.isEmpty()) { // nothing to read class files for
      return new PluginPath(loader);
    }
    List<Listing> listings = Listing.of(loader);
    ProviderScan scan = ProviderScan.of(all);
    problems.addAll(taken(all, listings, scan, loader));
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
    if (!Files.isRegularFile(place)) {
      problems.add(place + ": not a jar: that is no regular file");
      return false;
    }
    try (JarFile jar = new JarFile(place.toFile())) {
      return hasReadableDefaults(place, jar, problems);
    } catch (IOException e) {
      problems.add(place + ": not a jar: " + e.getMessage());
      return false;
    }
  }

  /** One loader for all means one reference.conf made of all: a bad one would hide the others. */
  private static boolean hasReadableDefaults(Path place, JarFile jar, List<String> problems)
      throws IOException {
    ZipEntry defaults = jar.getEntry("reference.conf");
    if (defaults == null) {
      return true;
    }
    try (InputStream in = jar.getInputStream(defaults)) {
      Config _ = Hocon.parse(in, place + "!/reference.conf");
      return true;
    } catch (ConfigException e) {
      problems.add(String.valueOf(e.getMessage()));
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
      unlisted.removeIf(type -> loader.fromParent(type) != null);
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

  /** Says which providers more than one jar has, or the class path. */
  private static List<String> taken(
      List<Path> all, List<Listing> listings, ProviderScan scan, PluginLoader loader) {
    List<String> problems = new ArrayList<>();
    Set<String> types =
        listings.stream()
            .filter(each -> all.stream().anyMatch(place -> each.place().equals(absolute(place))))
            .map(Listing::type)
            .collect(Collectors.toCollection(TreeSet::new));
    for (String type : types) {
      List<CodeSource> sources = scan.places(type).stream().map(CodeSource::of).toList();
      URL parent = loader.fromParent(type);
      String jars = sources.stream().map(CodeSource::toString).collect(Collectors.joining(", "));
      if (parent != null && !sources.isEmpty()) {
        problems.add(
            "collector plug-in %s in %s is not used: the class path has that class, too, in %s"
                .formatted(type, jars, Listing.source(parent, type)));
      } else if (sources.size() > 1) {
        loader.refuse(type);
        problems.add(
            "collector plug-in %s is in several jars, and none of them is used: %s; leave one"
                .formatted(type, jars));
      }
    }
    return problems;
  }

  private static Path real(Path place) {
    try {
      return place.toRealPath();
    } catch (IOException e) {
      return place;
    }
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
