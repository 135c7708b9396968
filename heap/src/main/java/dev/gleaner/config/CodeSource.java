package dev.gleaner.config;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * Where a class comes from.
 *
 * @param location the jar or folder, {@code ?} if unknown
 * @param version the Implementation-Version of its package, else of the manifest, else {@code ?}
 * @param apiVersion the version of gleaner-api that it was built against, as its manifest says,
 *     else {@code ?}
 */
record CodeSource(String location, String version, String apiVersion) {

  static final String UNKNOWN = "?";

  static final CodeSource NONE = new CodeSource(UNKNOWN, UNKNOWN, UNKNOWN);

  /** In the main section of a plug-in's manifest. */
  static final String API_VERSION = "Gleaner-Api-Version";

  /** Reads the manifest only where the class loader does not say the version. */
  static CodeSource of(Class<?> type) {
    Path path = path(type);
    String version =
        type.getPackage() == null ? null : type.getPackage().getImplementationVersion();
    if (version != null) { // what a loader has read of the jar need not be read again
      return new CodeSource(path == null ? UNKNOWN : path.toString(), version, UNKNOWN);
    }
    return path == null ? NONE : of(path);
  }

  /** Returns what the manifest of a jar, or of a folder of classes, says. */
  static CodeSource of(Path place) {
    Attributes main = manifest(place).getMainAttributes();
    return new CodeSource(
        place.toString(),
        orUnknown(main.getValue(Attributes.Name.IMPLEMENTATION_VERSION)),
        orUnknown(main.getValue(API_VERSION)));
  }

  private static String orUnknown(@Nullable String text) {
    return text == null ? UNKNOWN : text;
  }

  private static @Nullable Path path(Class<?> type) {
    try {
      java.security.CodeSource source = type.getProtectionDomain().getCodeSource();
      URL url = source == null ? null : source.getLocation();
      return url == null ? null : Path.of(URI.create(url.toString()));
    } catch (RuntimeException e) { // no path: a jar in a jar, a loader of some container's own
      return null;
    }
  }

  /** Returns an empty one where there is none. */
  private static Manifest manifest(Path place) {
    try {
      if (Files.isDirectory(place)) {
        Path file = place.resolve(JarFile.MANIFEST_NAME);
        if (!Files.exists(file)) {
          return new Manifest();
        }
        try (InputStream in = Files.newInputStream(file)) {
          return new Manifest(in);
        }
      }
      try (JarFile jar = new JarFile(place.toFile())) {
        Manifest manifest = jar.getManifest();
        return manifest == null ? new Manifest() : manifest;
      }
    } catch (IOException e) {
      return new Manifest();
    }
  }

  @Override
  public String toString() {
    return location + " (version " + version + ")";
  }
}
