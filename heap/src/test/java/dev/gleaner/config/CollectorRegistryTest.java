package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry.Plugin;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.testing.TestProviders;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Discovery: a broken provider is reported and does not hide the others. */
class CollectorRegistryTest {

  private static final String GOOD = Compiled.provider("Good", "", "\"good\"");

  @TempDir Path folder;

  private ClassLoader loader(Path classes, String... services) throws IOException {
    TestProviders.writeServices(classes, services);
    return new URLClassLoader(
        new URL[] {classes.toUri().toURL()}, CollectorRegistryTest.class.getClassLoader());
  }

  private static List<String> names(CollectorRegistry registry) {
    return registry.plugins().stream().map(Plugin::name).toList();
  }

  @Test
  void brokenOnesAreReportedAndHideNoOther() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.ofEntries(
                Map.entry("Good", GOOD),
                Map.entry("Last", Compiled.provider("Last", "", "\"last\"")),
                Map.entry(
                    "Throws",
                    Compiled.provider(
                        "Throws", "if (true) throw new IllegalStateException(\"boom\");", "\"t\"")),
                Map.entry(
                    "BadName",
                    Compiled.provider("BadName", "", "nothing()")
                        .replace(
                            "public String desc",
                            "static String nothing() { throw new StackOverflowError(); }\n"
                                + "public String desc")),
                Map.entry("NullName", Compiled.provider("NullName", "", "null")),
                Map.entry("Illegal", Compiled.provider("Illegal", "", "\"Mark Sweep\"")),
                Map.entry(
                    "Static",
                    Compiled.provider("Static", "", "\"static\"")
                        .replace("public Static", "static int x = 1 / (int) 0L; public Static")),
                Map.entry("Parent", "package third; public class Parent {}"),
                Map.entry(
                    "Orphan",
                    Compiled.provider("Orphan", "", "\"orphan\"")
                        .replace("class Orphan", "class Orphan extends Parent")),
                Map.entry("NoProvider", "package third; public class NoProvider {}"),
                Map.entry(
                    "Hidden",
                    Compiled.provider("Hidden", "", "\"hidden\"")
                        .replace("public Hidden", "private Hidden"))));
    Files.delete(classes.resolve("third/Parent.class"));
    ClassLoader loader =
        loader(
            classes,
            "third.Missing",
            "third.Good",
            "third.Throws",
            "third.BadName",
            "third.NullName",
            "third.Illegal",
            "third.Static",
            "third.Orphan",
            "third.NoProvider",
            "third.Hidden",
            "third.Last");
    CollectorRegistry registry = CollectorRegistry.discover(List.of(loader));
    assertThat(names(registry)).containsExactly("good", "last");
    String in = " in " + classes;
    assertThat(registry.problems())
        .containsExactly(
            "collector plug-in third.Missing"
                + in
                + ": META-INF/services/dev.gleaner.spi.CollectorProvider lists it, but there is no"
                + " such class; the providers there are third.BadName, third.Good, third.Illegal,"
                + " third.Last, third.NullName, third.Orphan, third.Static, third.Throws",
            "collector plug-in third.Throws"
                + in
                + " cannot be made: java.lang.IllegalStateException: boom",
            "collector plug-in third.BadName"
                + in
                + " cannot be asked its name: java.lang.StackOverflowError",
            "collector plug-in third.NullName"
                + in
                + ": its name is null, but must match [a-z][a-z0-9-]*",
            "collector plug-in third.Illegal"
                + in
                + ": its name is \"Mark Sweep\", but must match [a-z][a-z0-9-]*",
            "collector plug-in third.Static"
                + in
                + " cannot be made: java.lang.ArithmeticException: / by zero",
            "collector plug-in third.Orphan"
                + in
                + ": it needs the class third.Parent, which is missing: put the jar that has it"
                + " beside the plug-in's",
            "collector plug-in third.NoProvider"
                + in
                + ": it does not implement dev.gleaner.spi.CollectorProvider",
            "collector plug-in third.Hidden"
                + in
                + ": it has no public constructor without parameters");
  }

  @Test
  void aMissingClassComesWithTheNearestThatIsThere() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Base",
                Compiled.provider("Base", "", "\"base\"")
                    .replace("public class", "public abstract class"),
                "Collector",
                "package third; public class Collector extends Base {"
                    + " public Collector() {} public String name() { return \"c\"; } }",
                "Library",
                "package third; public class Library {}"));
    CollectorRegistry registry =
        CollectorRegistry.discover(List.of(loader(classes, "third.Colector", "third.Collector")));
    assertThat(names(registry)).containsExactly("c");
    assertThat(registry.problems())
        .containsExactly(
            "collector plug-in third.Colector in "
                + classes
                + ": META-INF/services/dev.gleaner.spi.CollectorProvider lists it, but there is no"
                + " such class; the only provider there is third.Collector (third.Collector?)");
  }

  @Test
  void aClassThatASignatureNamesIsMissing() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Helper",
                "package third; public class Helper {}",
                "Needs",
                Compiled.provider("Needs", "", "\"needs\"")
                    .replace("public Needs()", "public Needs(Helper h) {} public Needs()"),
                "Uses",
                Compiled.provider("Uses", "new Helper();", "\"uses\""),
                "Good",
                GOOD));
    Files.delete(classes.resolve("third/Helper.class"));
    CollectorRegistry registry =
        CollectorRegistry.discover(
            List.of(loader(classes, "third.Needs", "third.Uses", "third.Good")));
    assertThat(names(registry)).containsExactly("good");
    String missing =
        "it needs the class third.Helper, which is missing: put the jar that has it beside the"
            + " plug-in's";
    assertThat(registry.problems())
        .containsExactly(
            "collector plug-in third.Needs in " + classes + ": " + missing,
            "collector plug-in third.Uses in " + classes + " cannot be made: " + missing);
  }

  @Test
  void aServicesFileThatIsNoneIsReported() throws IOException {
    Path classes = Compiled.classes(folder, Map.of("Good", GOOD));
    ClassLoader bad = loader(Files.createDirectory(folder.resolve("bad")), "this is no class");
    CollectorRegistry registry =
        CollectorRegistry.discover(List.of(bad, loader(classes, "third.Good")));
    assertThat(names(registry)).containsExactly("good");
    assertThat(registry.problems()).hasSize(1);
    assertThat(registry.problems().getFirst())
        .contains(folder.resolve("bad").toString())
        .contains("Illegal configuration-file syntax");
  }

  @Test
  void aClassFoundAlongSeveralWaysCountsOnce() throws IOException {
    Path classes = Compiled.classes(folder, Map.of("Good", GOOD));
    ClassLoader parent = loader(classes, "third.Good", "third.Missing");
    ClassLoader child =
        new URLClassLoader(
            new URL[] {Files.createDirectory(folder.resolve("none")).toUri().toURL()}, parent);
    Thread thread = Thread.currentThread();
    ClassLoader context = thread.getContextClassLoader();
    thread.setContextClassLoader(parent);
    try {
      CollectorRegistry registry = CollectorRegistry.discover(List.of(parent, child, child));
      assertThat(names(registry)).containsExactly("good");
      assertThat(registry.problems()).hasSize(1);
    } finally {
      thread.setContextClassLoader(context);
    }
  }

  @Test
  void findsThoseOfTheContextsLoader() throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader context = thread.getContextClassLoader();
    thread.setContextClassLoader(TestProviders.loader(folder));
    try {
      assertThat(names(CollectorRegistry.discover(List.of()))).containsExactly("plain", "rich");
      assertThat(Gleaner.factory(ConfigFactory.parseString("gleaner.collector = rich")).collector())
          .isEqualTo("rich");
      thread.setContextClassLoader(null);
      assertThat(names(CollectorRegistry.discover(List.of()))).isEmpty();
    } finally {
      thread.setContextClassLoader(context);
    }
  }

  @Test
  void theFirstOfANameStays() throws IOException {
    ClassLoader loader =
        TestProviders.loader(
            folder, "", TestProviders.Plain.class.getName(), TestProviders.Plain2.class.getName());
    CollectorRegistry registry = CollectorRegistry.discover(List.of(loader));
    assertThat(names(registry)).containsExactly("plain");
    assertThat(registry.plugins().getFirst().provider()).isInstanceOf(TestProviders.Plain.class);
    String classes = registry.plugins().getFirst().location();
    assertThat(registry.problems())
        .containsExactly(
            "collector plug-in dev.gleaner.testing.TestProviders$Plain2 in "
                + classes
                + ": the name plain belongs to dev.gleaner.testing.TestProviders$Plain in "
                + classes
                + "; a collector needs a name of its own");
  }

  @Test
  void knowsVersionAndPlace() throws IOException {
    Path classes = Compiled.classes(folder, Map.of("Good", GOOD));
    TestProviders.writeServices(classes, "third.Good");
    Plugin unpacked =
        CollectorRegistry.discover(List.of(loader(classes, "third.Good"))).plugins().getFirst();
    assertThat(unpacked.version()).isEqualTo("?");
    assertThat(unpacked.location()).isEqualTo(classes.toString());
    Path jar = Compiled.jar(classes, folder.resolve("good-1.2.jar"), "1.2");
    try (PluginPath path = PluginPath.of(List.of(jar))) {
      assertThat(path.problems()).isEmpty();
      Plugin packed = CollectorRegistry.discover(List.of(path.loader())).plugins().getFirst();
      assertThat(packed.version()).isEqualTo("1.2");
      assertThat(packed.location()).isEqualTo(jar.toString());
      assertThat(packed.provider().description()).isEqualTo("made for a test");
    }
  }

  @Test
  void anUnknownCollectorComesWithTheProblemsOfBrokenOnes() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Good",
                GOOD,
                "Broken",
                Compiled.provider("Broken", "if (true) throw new Error(\"no\");", "\"broken\"")));
    ClassLoader loader = loader(classes, "third.Broken", "third.Good");
    assertThatThrownBy(() ->
            Gleaner.factory(
                ConfigFactory.parseString("gleaner.collector = broken"), List.of(loader)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            """
            2 problems in the configuration
              String: 1: gleaner.collector = "broken": no collector of that name; there is only good
              collector plug-in third.Broken in %s cannot be made: java.lang.Error: no\
            """
                .formatted(classes));
    HeapFactory good =
        Gleaner.factory(ConfigFactory.parseString("gleaner.collector = good"), List.of(loader));
    assertThat(good.collector()).isEqualTo("good");
  }

  @Test
  void withoutAnyCollectorThereIsNoFallback() {
    assertThatThrownBy(() -> Gleaner.factory(ConfigFactory.parseString("gleaner.collector = any")))
        .hasMessageContaining("no collector of that name; none is installed");
  }

  @Test
  void aModuleThatFailsIsAProblemOfThatCollector() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Fails",
                    Compiled.provider("Fails", "", "\"fails\"")
                        .replace(
                            "return c ->",
                            "if (true) throw new RuntimeException(\"oh\"); return c ->"),
                "NoFactory",
                    Compiled.provider("NoFactory", "", "\"nofactory\"")
                        .replace("return c -> null", "return null"),
                "Unbound",
                    Compiled.provider("Unbound", "", "\"unbound\"")
                        .replace("CollectorProvider", "GuiceCollectorProvider")
                        .replace("CollectorFactory factory", "com.google.inject.Module module")
                        .replace("return c -> null", "return b -> {}")));
    ClassLoader loader = loader(classes, "third.Fails", "third.Unbound", "third.NoFactory");
    assertThatThrownBy(() ->
            Gleaner.factory(
                ConfigFactory.parseString("gleaner.collector = fails"), List.of(loader)))
        .hasMessage(
            "1 problem in the configuration\n  collector fails in "
                + classes
                + " cannot be set up: java.lang.RuntimeException: oh");
    assertThatThrownBy(() ->
            Gleaner.factory(
                ConfigFactory.parseString("gleaner.collector = nofactory"), List.of(loader)))
        .hasMessage(
            "1 problem in the configuration\n  collector nofactory in "
                + classes
                + " cannot be set up: it has no factory");
    assertThatThrownBy(() ->
            Gleaner.factory(
                ConfigFactory.parseString("gleaner.collector = unbound"), List.of(loader)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("1 problem in the configuration\n  collector unbound in ")
        .hasMessageContaining("No implementation for dev.gleaner.spi.CollectorFactory was bound");
  }
}
