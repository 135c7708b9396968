package dev.gleaner.it.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.kit.Conformance;
import dev.gleaner.memory.SimulatedPages;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * All of Gleaner's classes once more, some of them with a bug: loaded from where the right ones
 * come from, but for those that were compiled anew.
 */
final class BuggyClasses extends URLClassLoader {
  private static final List<String> OURS = List.of("dev.gleaner.", "com.example.");
  private static final Path ROOT = Path.of("..");
  private static final String THIRD_PARTY = "integration-tests/src/third-party";

  private BuggyClasses(List<URL> places) {
    super("buggy", places.toArray(URL[]::new), BuggyClasses.class.getClassLoader());
  }

  /** Compiles a bug into a folder. */
  static BuggyClasses of(PlantedBug bug, Path folder) throws IOException {
    String source = Files.readString(ROOT.resolve(bug.source()));
    assertThat(source.split(java.util.regex.Pattern.quote(bug.original()), -1))
        .as("%s occurs once in %s", bug.original(), bug.source())
        .hasSize(2);
    Path file = folder.resolve("src").resolve(Path.of(bug.source()).getFileName());
    Files.createDirectories(file.getParent());
    Files.writeString(file, source.replace(bug.original(), bug.planted()));
    Path classes = Files.createDirectories(folder.resolve("classes"));
    Path outside = ROOT.resolve(THIRD_PARTY).resolve(bug.collector());
    if (!bug.source().startsWith(THIRD_PARTY)) {
      compile(List.of(file), classes);
    }
    List<URL> places = new ArrayList<>();
    places.add(classes.toUri().toURL());
    places.add(place(Heap.class));
    places.add(place(Conformance.class));
    places.add(place(FirstFailure.class));
    places.add(place(SimulatedPages.class));
    if (Files.isDirectory(outside)) {
      places.add(plugin(outside, folder, file).toUri().toURL());
    }
    for (CollectorRegistry.Plugin plugin : CollectorRegistry.discover(List.of()).plugins()) {
      places.add(place(plugin.provider().getClass()));
    }
    return new BuggyClasses(places);
  }

  /** Compiles a collector from outside, but for the file that has the bug. */
  private static Path plugin(Path sources, Path folder, Path buggy) throws IOException {
    Path classes = Files.createDirectories(folder.resolve("plugin"));
    List<Path> java = new ArrayList<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.toString().endsWith(".java")) {
          Path copy = classes.resolve(sources.relativize(file).toString());
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        } else if (!file.getFileName().equals(buggy.getFileName())) {
          java.add(file);
        } else {
          java.add(buggy);
        }
      }
    }
    compile(java, classes);
    return classes;
  }

  private static URL place(Class<?> type) throws IOException {
    return URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()).toURL();
  }

  private static void compile(List<Path> sources, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    StringBuilder errors = new StringBuilder();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  null,
                  files,
                  problem -> errors.append(problem).append('\n'),
                  List.of("-d", classes.toString(), "-cp", path, "-proc:none", "-nowarn"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertThat(done).as(errors.toString()).isTrue();
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      if (OURS.stream().noneMatch(name::startsWith)) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? findClass(name) : known;
    }
  }

  /** Runs the kit's rule of a name, or all. */
  String run(String collector, String rule) throws ReflectiveOperationException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(this);
    try {
      @SuppressWarnings("unchecked")
      BiFunction<String, String, String> kit =
          (BiFunction<String, String, String>)
              loadClass(FirstFailure.class.getName()).getConstructor().newInstance();
      return kit.apply(collector, rule);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
