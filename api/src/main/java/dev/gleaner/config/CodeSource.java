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
 */
record CodeSource(String location, String version) {

  private static final String UNKNOWN = "?";

  static CodeSource of(Class<?> type) {
    Path path = path(type);
    String version =
        type.getPackage() == null ? null : type.getPackage().getImplementationVersion();
    if (version == null && path != null) {
      version = manifestVersion(path);
    }
    return new CodeSource(
        path == null ? UNKNOWN : path.toString(), version == null ? UNKNOWN : version);
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

  private static @Nullable String manifestVersion(Path path) {
    try {
      if (Files.isDirectory(path)) {
        Path file = path.resolve(JarFile.MANIFEST_NAME);
        if (!Files.exists(file)) {
          return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
          return version(new Manifest(in));
        }
      }
      try (JarFile jar = new JarFile(path.toFile())) {
        Manifest manifest = jar.getManifest();
        return manifest == null ? null : version(manifest);
      }
    } catch (IOException e) {
      return null;
    }
  }

  private static @Nullable String version(Manifest manifest) {
    return manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
  }
}
