package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.Heap;
import dev.gleaner.it.ForkedJvm.Result;
import dev.gleaner.kit.oracle.Dice;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Plug-ins as somebody else builds them: from sources outside the reactor, with nothing on the
 * class path but the jars that are published, and run by the program's own jar.
 *
 * <p>The jars are those of this build, so {@code mvn verify} made them; a test that needs them is
 * skipped under {@code mvn test}, which makes none.
 */
final class PluginJar {
  static final String SERVICE = "META-INF/services/dev.gleaner.spi.CollectorProvider";

  /** What gleaner-kit is published with. */
  private static final Pattern PUBLISHED =
      Pattern.compile(
          "(gleaner-(api|heap|metrics|kit)|guice|aopalliance|jakarta\\.inject-api|guava|config|jspecify"
              + "|apiguardian-api|micrometer-(core|commons|observation))-\\d.*\\.jar");

  private PluginJar() {}

  private static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  /** The entries of the class path with such a name. */
  static List<Path> jars(Pattern name) {
    return classPath().stream()
        .filter(each -> name.matcher(each.getFileName().toString()).matches())
        .toList();
  }

  /** The jars that are published, of this build; skips the test where there are none. */
  static List<Path> published() {
    List<Path> jars = jars(PUBLISHED);
    for (String module : List.of("gleaner-api-", "gleaner-heap-", "gleaner-kit-")) {
      assumeTrue(
          jars.stream().anyMatch(each -> each.getFileName().toString().startsWith(module)),
          "only mvn verify packs " + module + "….jar");
    }
    return jars;
  }

  /** Builds a collector of the folder third-party into a folder; answers the path to it. */
  static PluginPath thirdParty(String name, Path folder) throws IOException {
    build(sources("third-party/" + name), folder.resolve(name + ".jar"));
    return PluginPath.of(List.of(folder));
  }

  /** Opens a heap under a collector of these, with settings of the section gleaner. */
  static Heap open(PluginPath plugins, String collector, String settings) {
    return Gleaner.factory(
            ConfigFactory.parseString(
                "gleaner { collector = " + collector + "\n" + settings + "\n}"),
            List.of(plugins.loader()))
        .open();
  }

  /** A folder of sources of this module that Maven does not compile. */
  static Path sources(String name) {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    Path folder = module.resolve("src").resolve(name);
    assertThat(folder).isDirectory();
    return folder;
  }

  /** Compiles a folder's sources and packs their classes with the folder's other files. */
  static Path build(Path sources, Path jar) throws IOException {
    return build(sources, jar, Set.of());
  }

  /**
   * Makes a jar of texts, by their paths in it.
   *
   * @param files sources, which are compiled, and others
   * @param without classes that are left out
   */
  static Path build(Map<String, String> files, Path jar, String... without) throws IOException {
    Path sources = Files.createTempDirectory(jar.getParent(), "sources");
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = sources.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    return build(sources, jar, Set.of(without));
  }

  private static Path build(Path sources, Path jar, Set<String> without) throws IOException {
    Path classes = Files.createTempDirectory("plugin-classes");
    compile(sources, classes);
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "7.1");
    manifest.getMainAttributes().putValue("Gleaner-Api-Version", "0.0.9");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest)) {
      for (Path folder : List.of(classes, sources)) {
        for (Path file : files(folder)) {
          String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
          if (!name.endsWith(".java") && !without.contains(name)) {
            entries.putNextEntry(new JarEntry(name));
            entries.write(Files.readAllBytes(file));
            entries.closeEntry();
          }
        }
      }
    }
    for (Path file : files(classes)) {
      Files.delete(file);
    }
    return jar;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void compile(Path sources, Path classes) throws IOException {
    List<Path> java =
        files(sources).stream().filter(each -> each.toString().endsWith(".java")).toList();
    String classPath =
        published().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    List<String> options = new ArrayList<>(List.of("-Xlint:all", "-Werror", "-proc:none"));
    options.addAll(List.of("-cp", classPath, "-d", classes.toString()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var units = files.getJavaFileObjectsFromPaths(java);
      boolean ok = compiler.getTask(messages, files, null, options, null, units).call();
      assertThat(ok).as("%s", messages).isTrue();
    }
  }

  /** Runs the command line in a JVM of its own, which has nothing but the program's jar. */
  static Result gleaner(String... arguments) throws Exception {
    List<Path> lab = jars(Pattern.compile("gleaner-lab\\.jar"));
    assumeTrue(!lab.isEmpty(), "only mvn verify packs gleaner-lab.jar");
    return ForkedJvm.run(
        List.of(ForkedJvm.NATIVE_ACCESS),
        lab.getFirst().toString(),
        "dev.gleaner.lab.Main",
        arguments);
  }

  /** Runs the conformance kit on a collector of a folder of plug-ins. */
  static void expectToConform(Path plugins, String collector) throws Exception {
    Result result =
        gleaner(
            "conform",
            "--torture",
            "--quiet",
            "--collector=" + collector,
            "--plugin-path=" + plugins,
            "--seed=" + Dice.seed());
    assertThat(result.out()).noneMatch(line -> line.startsWith("FAILED"));
    assertThat(result.out().getLast()).matches(collector + ": \\d{3,} passed, 0 failed, .*");
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
  }
}
