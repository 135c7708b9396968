package dev.gleaner.it.planted;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Plants a bug into any run of tests: {@code Plant BUG JAR} writes a Java agent that loads the
 * class with the bug. The jar has the class at its own path, too, and so does as well at the front
 * of a class path.
 *
 * <p>{@code Plant} without arguments lists the bugs; {@code Plant --record} writes the sketches
 * anew, by which a bug's place is found again.
 */
public final class Plant {
  private static final Path SKETCHES =
      Path.of("src", "test", "resources", "dev", "gleaner", "it", "planted", Anchors.FILE);

  private Plant() {}

  /**
   * Lists, records, or plants; to be run in the folder integration-tests.
   *
   * @param arguments none, {@code --record}, or a bug and the jar to write
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    if (arguments.length == 0) {
      PlantedBugs.all()
          .forEach(b ->
              out.println(
                  String.join(
                      "\t",
                      b.name(),
                      b.area(),
                      b.collector(),
                      b.edit().place().method(),
                      b.text())));
      return;
    }
    Path plugin = Files.createTempDirectory("third-party");
    Program program = program(BuggyClasses.thirdParty("generational", plugin));
    try (Stream<Path> files = Files.walk(plugin)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    Anchors anchors = Anchors.of(program);
    if (arguments[0].equals("--record")) {
      Files.createDirectories(SKETCHES.getParent());
      Files.write(
          SKETCHES, anchors.record(PlantedBugs.all().stream().map(b -> b.edit().place()).toList()));
    } else {
      plant(arguments[0], Path.of(arguments[1]), anchors, program);
    }
    anchors.renamed().forEach(out::println);
  }

  /** All classes: those of the class path, and those of the collector from outside. */
  static Program program(Path plugin) throws IOException {
    List<Path> places = new ArrayList<>(Program.classPath());
    places.add(plugin);
    return new Program(places);
  }

  private static void plant(String name, Path jar, Anchors anchors, Program program)
      throws IOException {
    Edit edit =
        PlantedBugs.all().stream()
            .filter(b -> b.name().equals(name))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException("no bug " + name + "; Plant lists them"))
            .edit();
    Anchors.Target target = anchors.locate(edit.place());
    byte[] file = edit.apply(target, program);
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", PlantedAgent.class.getName());
    try (JarOutputStream entries = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      write(entries, PlantedAgent.NAME, target.className().getBytes(StandardCharsets.UTF_8));
      write(entries, PlantedAgent.FILE, file);
      write(entries, target.className() + ".class", file);
      for (String part : List.of("PlantedAgent", "PlantedAgent$1")) {
        try (InputStream in = Plant.class.getResourceAsStream(part + ".class")) {
          write(entries, "dev/gleaner/it/planted/" + part + ".class", in.readAllBytes());
        }
      }
    }
  }

  private static void write(JarOutputStream entries, String name, byte[] bytes) throws IOException {
    entries.putNextEntry(new JarEntry(name));
    entries.write(bytes);
    entries.closeEntry();
  }
}
