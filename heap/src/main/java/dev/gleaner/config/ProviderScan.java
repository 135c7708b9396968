package dev.gleaner.config;

import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Finds the classes in jars and folders that could be listed as providers: public, with a public
 * constructor without parameters, and {@link CollectorProvider} among their super-types, as far as
 * these are in the same places. Reads class files and loads nothing, so no plug-in's code runs.
 */
final class ProviderScan {

  private static final String PROVIDER = CollectorProvider.class.getName().replace('.', '/');

  /** What a class file says. */
  private record Shape(Path place, boolean usable, List<String> superTypes) {}

  private final Map<String, Shape> shapes = new HashMap<>();
  private final Map<String, List<Path>> places = new HashMap<>();

  private ProviderScan() {}

  /** Reads all class files; what cannot be read is passed over. */
  static ProviderScan of(List<Path> places) {
    ProviderScan scan = new ProviderScan();
    for (Path place : places) {
      try {
        if (Files.isDirectory(place)) {
          scan.addFolder(place);
        } else if (Files.isRegularFile(place)) {
          scan.addJar(place);
        }
      } catch (IOException e) {
        // whoever opens it says so
      }
    }
    return scan;
  }

  /** Returns the names of the providers in one of the places, in order. */
  SortedSet<String> providers(Path place) {
    SortedSet<String> found = new TreeSet<>();
    shapes.forEach((name, shape) -> {
      if (shape.usable() && shape.place().equals(place) && isProvider(name, new TreeSet<>())) {
        found.add(name.replace('/', '.'));
      }
    });
    return found;
  }

  /** Returns the places that have a class of that name. */
  List<Path> places(String type) {
    return places.getOrDefault(type.replace('.', '/'), List.of());
  }

  private boolean isProvider(String name, SortedSet<String> seen) {
    if (name.equals(PROVIDER)) {
      return true;
    }
    Shape shape = shapes.get(name);
    return shape != null
        && seen.add(name)
        && shape.superTypes().stream().anyMatch(each -> isProvider(each, seen));
  }

  private void addFolder(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(each -> isClass(each.getFileName().toString())).toList()) {
        add(folder, Files.readAllBytes(file));
      }
    }
  }

  private void addJar(Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
        JarEntry entry = all.nextElement();
        if (isClass(entry.getName()) && !entry.getName().startsWith("META-INF/")) {
          try (InputStream in = jar.getInputStream(entry)) {
            add(path, in.readAllBytes());
          }
        }
      }
    }
  }

  private static boolean isClass(String name) {
    return name.endsWith(".class");
  }

  private void add(Path place, byte[] bytes) {
    try {
      ClassModel model = ClassFile.of().parse(bytes);
      List<String> superTypes = new ArrayList<>();
      model.superclass().map(ClassEntry::asInternalName).ifPresent(superTypes::add);
      model.interfaces().forEach(each -> superTypes.add(each.asInternalName()));
      places
          .computeIfAbsent(model.thisClass().asInternalName(), name -> new ArrayList<>())
          .add(place);
      shapes.putIfAbsent(
          model.thisClass().asInternalName(), new Shape(place, isUsable(model), superTypes));
    } catch (IllegalArgumentException e) {
      // no class file, or one for a later Java: loading it would say so
    }
  }

  private static boolean isUsable(ClassModel model) {
    return model.flags().has(AccessFlag.PUBLIC)
        && !model.flags().has(AccessFlag.ABSTRACT)
        && model.methods().stream()
            .anyMatch(each ->
                each.methodName().equalsString("<init>")
                    && each.methodType().equalsString("()V")
                    && each.flags().has(AccessFlag.PUBLIC));
  }
}
