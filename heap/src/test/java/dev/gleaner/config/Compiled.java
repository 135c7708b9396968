package dev.gleaner.config;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Plug-ins made on the spot: sources to classes to a jar. */
final class Compiled {

  private Compiled() {}

  /**
   * Returns the source of a provider, with a body for its constructor and an expression for its
   * name.
   */
  static String provider(String type, String constructor, String name) {
    return """
    package third;
    import dev.gleaner.spi.*;
    public class %s implements CollectorProvider {
      public %s() { %s }
      public String name() { return %s; }
      public String description() { return "made for a test"; }
      public CollectorTraits traits(CollectorSettings s) { return CollectorTraits.of(); }
      public CollectorFactory factory(CollectorSettings s) { return c -> null; }
    }
    """
        .formatted(type, type, constructor, name);
  }

  /** Compiles sources, by their simple names, of the package third into a folder of classes. */
  static Path classes(Path folder, Map<String, String> sources) throws IOException {
    Path from = Files.createTempDirectory(folder, "sources");
    Path to = Files.createTempDirectory(folder, "classes");
    List<String> arguments =
        new ArrayList<>(
            List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", to + ""));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = from.resolve(source.getKey() + ".java");
      Files.writeString(file, source.getValue());
      arguments.add(file.toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IOException("the sources do not compile");
    }
    return to;
  }

  /** Packs a folder of classes. */
  static Path jar(Path classes, Path jar, String version) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
        entries.write(Files.readAllBytes(file));
        entries.closeEntry();
      }
    }
    return jar;
  }
}
