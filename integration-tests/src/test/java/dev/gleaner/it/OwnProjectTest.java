package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.ForkedJvm.Result;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program of somebody else, with the jars that are published and nothing more: on the class path
 * and on the module path.
 */
@Tag("exhaustive")
class OwnProjectTest {
  private static final String COLLECTORS = "gleaner-collector-[a-z]+-\\d.*\\.jar";

  /** What a program gets that depends on the API and on collectors, by Maven's rules. */
  private static final Pattern RUNTIME =
      Pattern.compile(
          "gleaner-(api|heap)-\\d(?!.*tests).*\\.jar|"
              + COLLECTORS
              + "|(guice|aopalliance|jakarta\\.inject-api|guava|failureaccess|config|jspecify"
              + "|apiguardian-api)-\\d.*\\.jar");

  /** What it gets besides if it binds meters. */
  private static final Pattern METERS =
      Pattern.compile(
          "gleaner-metrics-\\d.*\\.jar|(micrometer-(core|commons|observation)|HdrHistogram|LatencyUtils)-\\d.*\\.jar");

  private static final String SURVEY =
      """
      import com.typesafe.config.ConfigFactory;
      import dev.gleaner.Gleaner;
      import dev.gleaner.settings.ConfigurationException;
      import dev.gleaner.heap.Heap;
      import dev.gleaner.metrics.HeapMetrics;
      import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
      import dev.gleaner.spi.CollectorProvider;
      import java.util.ServiceLoader;

      public class Survey {
        public static void main(String[] args) {
          for (var plugin : ServiceLoader.load(CollectorProvider.class)) {
            var config = ConfigFactory.parseString("gleaner.collector = " + plugin.name());
            var registry = new SimpleMeterRegistry();
            try (Heap heap = Gleaner.factory(config).open();
                HeapMetrics metrics = new HeapMetrics(heap)) {
              metrics.bindTo(registry);
              System.out.println(plugin.name() + ": " + (registry.getMeters().size() > 10));
            }
          }
          try {
            Gleaner.factory(ConfigFactory.parseString("gleaner.memory.backing = reserved"));
            System.out.println("reserved");
          } catch (ConfigurationException e) {
            System.out.println(e.getMessage().lines().toList().getLast());
          }
        }
      }
      """;

  @TempDir private Path folder;

  private List<Path> jars = List.of();
  private List<Path> withMeters = List.of();

  @BeforeEach
  void findJars() {
    PluginJar.published(); // or the test is skipped
    jars = PluginJar.jars(RUNTIME);
    assertThat(jars).hasSizeGreaterThan(7 + Installed.collectors().size());
    withMeters = Stream.concat(jars.stream(), PluginJar.jars(METERS).stream()).toList();
    assertThat(withMeters).hasSizeGreaterThan(jars.size() + 2);
  }

  private static String path(Collection<Path> jars) {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private static void compile(Path classes, List<String> options, Path... sources)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> all = new ArrayList<>(List.of("-Xlint:all,-path", "-Werror", "-proc:none"));
    all.addAll(options);
    all.addAll(List.of("-d", classes.toString()));
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var units = files.getJavaFileObjects(sources);
      boolean ok = compiler.getTask(messages, files, null, all, null, units).call();
      assertThat(ok).as("%s", messages).isTrue();
    }
  }

  private Result onTheClassPath(String name, String source, List<Path> with, String... flags)
      throws Exception {
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    Path classes = folder.resolve("classes");
    compile(classes, List.of("-cp", path(with)), file);
    String classPath = classes + File.pathSeparator + path(with);
    return ForkedJvm.run(List.of(flags), classPath, name);
  }

  /** A module has no classes without a package, so the program gets one. */
  private Result onTheModulePath(
      String name, String source, String requires, List<Path> with, String... flags)
      throws Exception {
    Path sources = Files.createDirectories(folder.resolve("sources"));
    Path module = sources.resolve("module-info.java");
    Files.writeString(module, "module own { requires dev.gleaner.heap; " + requires + "}");
    Path file = sources.resolve(name + ".java");
    Files.writeString(file, "package own;\n" + source);
    Path classes = folder.resolve("own");
    List<String> lint = List.of("-Xlint:-requires-automatic", "-p", path(with));
    compile(classes, lint, module, file);
    List<String> all = new ArrayList<>(List.of(flags));
    all.addAll(List.of("-p", classes + File.pathSeparator + path(with)));
    all.addAll(List.of("-m", "own/own." + name));
    return ForkedJvm.run(all);
  }

  private Result surveyOnTheModulePath(String... flags) throws Exception {
    return onTheModulePath(
        "Survey",
        SURVEY,
        "requires dev.gleaner.metrics; uses dev.gleaner.spi.CollectorProvider; ",
        withMeters,
        flags);
  }

  private static void expectTheTwentyLines(Result result) {
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    assertThat(result.out()).hasSize(2);
    assertThat(result.out().get(0)).matches("42, \\d+ bytes in use");
    assertThat(result.out().get(1)).isEqualTo("finalized");
  }

  private static void expectAllCollectors(Result result, String last) {
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    List<String> expected = new ArrayList<>();
    Installed.collectors().forEach(name -> expected.add(name + ": true"));
    assertThat(result.out().subList(0, expected.size()))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(result.out().getLast()).contains(last);
  }

  @Test
  void theTwentyLinesRunOnTheClassPath() throws Exception {
    expectTheTwentyLines(onTheClassPath("Twenty", ReadmeTest.program(), jars));
  }

  @Test
  void theTwentyLinesRunOnTheModulePath() throws Exception {
    String program = ReadmeTest.program();
    expectTheTwentyLines(onTheModulePath("Twenty", program, "", jars));
    expectTheTwentyLines(
        onTheModulePath("Twenty", program, "", jars, "--enable-native-access=dev.gleaner.api"));
  }

  @Test
  void allCollectorsAreFoundOnEitherPath() throws Exception {
    expectAllCollectors(
        onTheClassPath("Survey", SURVEY, withMeters),
        "--enable-native-access=ALL-UNNAMED, or use auto");
    expectAllCollectors(
        onTheClassPath("Survey", SURVEY, withMeters, ForkedJvm.NATIVE_ACCESS), "reserved");
    expectAllCollectors(
        surveyOnTheModulePath("--enable-native-access=dev.gleaner.api"), "reserved");
  }

  /** What helps is said, with the module that has to have it: the program's own is not enough. */
  @Test
  void nativeAccessIsForTheModuleThatCallsOut() throws Exception {
    String advice = "--enable-native-access=dev.gleaner.api, or use auto";
    expectAllCollectors(surveyOnTheModulePath(), advice);
    expectAllCollectors(surveyOnTheModulePath("--enable-native-access=own"), advice);
  }

  /** The program of docs/guice.md: Guice, meters, no warning. */
  @Test
  @Tag("G1")
  void aProgramThatGuiceWiresRunsOnEitherPath() throws Exception {
    String page = Files.readString(PluginJar.sources("../../docs").resolve("guice.md"));
    String program = PagePrograms.of(page).getFirst();
    String requires = "requires dev.gleaner.metrics; requires com.google.guice; ";
    for (Result result :
        List.of(
            onTheClassPath("Wired", program, withMeters, ForkedJvm.NATIVE_ACCESS),
            onTheModulePath(
                "Wired",
                program,
                requires,
                withMeters,
                "--enable-native-access=dev.gleaner.api"))) {
      assertThat(result.err()).isEmpty();
      assertThat(result.exit()).isZero();
      assertThat(result.out())
          .containsExactly("heap-1 under hybrid, 1.0 open", "heap-2 under marksweep, 1.0 open");
    }
  }

  @Test
  void theApiAloneSaysWhichArtifactIsMissing() throws Exception {
    List<Path> alone =
        jars.stream().filter(jar -> !jar.getFileName().toString().matches(COLLECTORS)).toList();
    Result result = onTheClassPath("Twenty", ReadmeTest.program(), alone);
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(String.join("\n", result.err()))
        .contains("gleaner.collector = \"marksweep\"", "none is installed")
        .contains("dev.gleaner:gleaner-collector-marksweep");
  }
}
