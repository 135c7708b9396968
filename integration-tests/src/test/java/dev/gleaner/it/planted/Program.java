package dev.gleaner.it.planted;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The classes of Gleaner and of the collectors from outside, by simple names. */
final class Program {
  static final List<String> OURS = List.of("dev/gleaner/", "com/example/");

  private final Map<String, byte[]> bytes = new TreeMap<>();
  private final Map<String, ClassModel> parsed = new HashMap<>();

  /** Reads folders and jars; of two classes with the same name, the first one counts. */
  Program(List<Path> places) throws IOException {
    for (Path place : places) {
      if (Files.isDirectory(place)) {
        read(place);
      } else if (place.toString().endsWith(".jar") && Files.exists(place)) {
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
          read(jar.getPath("/"));
        }
      }
    }
  }

  /** {@return the folders and jars of the class path} */
  static List<Path> classPath() {
    return Stream.of(classPathText().split(File.pathSeparator)).map(Path::of).toList();
  }

  static String classPathText() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private void read(Path root) throws IOException {
    for (String ours : OURS) {
      Path folder = root.resolve(ours);
      if (!Files.isDirectory(folder)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          String name = root.relativize(file).toString().replace(File.separatorChar, '/');
          bytes.putIfAbsent(
              name.substring(0, name.length() - ".class".length()), Files.readAllBytes(file));
        }
      }
    }
  }

  /**
   * Finds a class.
   *
   * @param name its simple name; behind the end of its package's name where two classes have it, as
   *     in {@code semispace.Evacuator}
   * @return the class, or null
   */
  @Nullable ClassModel find(String name) {
    String end = "/" + name.replaceAll("\\b([a-z]\\w*)\\.", "$1/");
    List<String> found =
        bytes.keySet().stream().filter(n -> n.replace('$', '.').endsWith(end)).toList();
    if (found.size() > 1) {
      throw new LostAnchorException("several classes are called " + name + ": " + found);
    }
    return found.isEmpty() ? null : parse(found.getFirst());
  }

  private ClassModel parse(String name) {
    return parsed.computeIfAbsent(name, n -> ClassFile.of().parse(bytes(n)));
  }

  /** {@return a class's file, by its internal name; null if the class is not of this program} */
  byte @Nullable [] bytes(String internalName) {
    return bytes.get(internalName);
  }

  /** {@return the sketches of a class's methods} */
  static List<Sketch> sketches(ClassModel type) {
    return Sketch.methods(type).stream().map(m -> Sketch.of(type, m)).toList();
  }

  /** {@return all classes} */
  Stream<ClassModel> all() {
    return List.copyOf(bytes.keySet()).stream().map(this::parse);
  }
}
