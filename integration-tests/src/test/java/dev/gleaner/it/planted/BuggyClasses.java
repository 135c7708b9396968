package dev.gleaner.it.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.MalformedURLException;
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

/** All of Gleaner's classes once more, one of them with a bug. */
final class BuggyClasses extends URLClassLoader {
  private final Program program;
  private final String buggyName;
  private final byte[] buggy;

  private BuggyClasses(List<URL> places, Program program, String buggyName, byte[] buggy) {
    super("buggy", places.toArray(URL[]::new), BuggyClasses.class.getClassLoader());
    this.program = program;
    this.buggyName = buggyName;
    this.buggy = buggy;
  }

  /**
   * Plants a bug.
   *
   * @param plugin the collector from outside; its files are seen by class loaders only
   */
  static BuggyClasses of(PlantedBug bug, Anchors anchors, Program program, Path plugin)
      throws MalformedURLException {
    Anchors.Target target = anchors.locate(bug.edit().place());
    return new BuggyClasses(
        List.of(plugin.toUri().toURL()),
        program,
        target.className(),
        bug.edit().apply(target, program));
  }

  /** Compiles a collector from outside. */
  static Path thirdParty(String name, Path classes) throws IOException {
    Path sources = Path.of("src", "third-party", name);
    List<Path> java = new ArrayList<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.toString().endsWith(".java")) {
          java.add(file);
        } else {
          Path copy = classes.resolve(sources.relativize(file).toString());
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options = new ArrayList<>(List.of("-d", classes.toString(), "-proc:none"));
    options.addAll(List.of("-cp", Program.classPathText()));
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var units = files.getJavaFileObjectsFromPaths(java);
      boolean done = compiler.getTask(messages, files, null, options, null, units).call();
      assertThat(done).as("%s", messages).isTrue();
    }
    return classes;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      String internal = name.replace('.', '/');
      byte[] file = internal.equals(buggyName) ? buggy : program.bytes(internal);
      if (file == null) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? defineClass(name, file, 0, file.length) : known;
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
