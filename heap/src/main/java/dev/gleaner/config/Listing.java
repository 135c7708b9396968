package dev.gleaner.config;

import dev.gleaner.settings.Names;
import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line of a services file, with the jar or folder of that file: what {@link
 * java.util.ServiceLoader} goes by, but does not tell.
 *
 * @param type the class that is named
 * @param place the jar or folder, or the file's URL where it is in neither
 */
record Listing(String type, String place) {

  static final String FILE = "META-INF/services/" + CollectorProvider.class.getName();

  /** Returns what is listed in all the services files that a loader sees, in its order. */
  static List<Listing> of(ClassLoader loader) {
    List<Listing> all = new ArrayList<>();
    try {
      for (URL file : Collections.list(loader.getResources(FILE))) {
        for (String line : text(file).lines().toList()) {
          String type = line.replaceFirst("#.*", "").strip();
          if (!type.isEmpty()) {
            all.add(new Listing(type, place(file)));
          }
        }
      }
    } catch (IOException e) { // one that cannot be read is ServiceLoader's to report
      return all;
    }
    return all;
  }

  private static String text(URL file) throws IOException {
    URLConnection connection = file.openConnection();
    connection.setUseCaches(false);
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String place(URL file) {
    return place(file, FILE);
  }

  /** Returns where a class is, with its version if that is a jar or folder. */
  static String source(URL resource, String type) {
    String place = place(resource, type.replace('.', '/') + ".class");
    return place.contains(":") ? place : CodeSource.of(Path.of(place)).toString();
  }

  /** Returns the jar or folder that has an entry at a URL, else the URL. */
  private static String place(URL file, String entry) {
    String url = file.toString();
    boolean inJar = url.startsWith("jar:") && url.endsWith("!/" + entry);
    boolean inFolder = url.startsWith("file:") && url.endsWith(entry);
    if (!inJar && !inFolder) {
      return url;
    }
    int from = inJar ? "jar:".length() : 0;
    int before = entry.length() + (inJar ? "!/".length() : 0);
    try {
      return Path.of(URI.create(url.substring(from, url.length() - before))).toString();
    } catch (IllegalArgumentException | java.nio.file.FileSystemNotFoundException e) {
      return url; // a jar in a jar
    }
  }

  /** Returns why the class is no provider that can be made, null if nothing is wrong with it. */
  @Nullable String fault(ClassLoader loader) {
    try {
      Class<?> found = Class.forName(type, false, loader);
      if (!CollectorProvider.class.isAssignableFrom(found)) {
        return "it does not implement " + CollectorProvider.class.getName();
      }
      Constructor<?> _ = found.getConstructor();
      return null;
    } catch (ClassNotFoundException e) {
      return FILE + " lists it, but there is no such class; " + among();
    } catch (NoSuchMethodException e) {
      return "it has no public constructor without parameters";
    } catch (LinkageError e) {
      return Reasons.text(e, place);
    }
  }

  private String among() {
    Collection<String> there = ProviderScan.of(List.of(Path.of(place))).providers(Path.of(place));
    return switch (there.size()) {
      case 0 -> "nor is any class there a provider";
      case 1 -> "the only provider there is " + Names.among(type, there);
      default -> "the providers there are " + Names.among(type, there);
    };
  }

  /** Returns who this is, for messages. */
  String who() {
    return "collector plug-in " + type + " in " + place;
  }
}
