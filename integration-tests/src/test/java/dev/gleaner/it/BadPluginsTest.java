package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.Heap;
import dev.gleaner.it.ForkedJvm.Result;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A folder with every plug-in that can be wrong, and some that are right: each wrong one is told of
 * in one line, on the command line and when a heap is asked for, and the others work.
 */
class BadPluginsTest {
  private static final String SERVICE = PluginJar.SERVICE;
  private static final String NEEDS =
      "it needs the class bad.Helper, which is missing: put the jar that has it beside the"
          + " plug-in's";

  @TempDir private static Path folder;

  /** What is said of each jar, by its name. */
  private static final Map<String, String> EXPECTED = new LinkedHashMap<>();

  /** What is said of those that are there, and of which no heap can be opened. */
  private static final Map<String, String> UNUSABLE = new LinkedHashMap<>();

  private static final String API =
      String.valueOf(CollectorProvider.class.getPackage().getImplementationVersion());

  private static String provider(String type, String name) {
    return """
    package bad;
    import com.google.inject.Module;
    import dev.gleaner.layout.*;
    import dev.gleaner.spi.*;
    public class %s implements CollectorProvider {
      public %s() {}
      public String name() { return "%s"; }
      public String description() { return "made for a test"; }
      public CollectorTraits traits(CollectorSettings settings) { return CollectorTraits.of(); }
      public CollectorFactory factory(CollectorSettings settings) {
        return Heapless::make;
      }
    }
    """
        .formatted(type, type, name);
  }

  /** A collector that throws when a heap is opened. */
  private static final String HEAPLESS =
      """
      package bad;
      import dev.gleaner.spi.*;
      final class Heapless {
        static Collector make(HeapContext context) { throw new IllegalStateException("heapless"); }
      }
      """;

  private static Path jar(String name, Map<String, String> files, String... without)
      throws IOException {
    Map<String, String> all = new LinkedHashMap<>(files);
    all.put("bad/Heapless.java", HEAPLESS);
    return PluginJar.build(all, folder.resolve(name), without);
  }

  @BeforeAll
  static void build() throws IOException {
    // Every jar has classes of its own: one loader serves all.
    plugin("a-good.jar", "Good", provider("Good", "good"));
    Path twice = plugin("twice.jar", "Twice", provider("Twice", "good"));
    EXPECTED.put(
        "twice.jar",
        "collector plug-in bad.Twice in "
            + twice
            + ": the name good belongs to bad.Good in "
            + folder.resolve("a-good.jar")
            + "; a collector needs a name of its own");
    Path illegal = plugin("illegal.jar", "Illegal", provider("Illegal", "Mark Sweep"));
    EXPECTED.put(
        "illegal.jar",
        "collector plug-in bad.Illegal in "
            + illegal
            + ": its name is \"Mark Sweep\", but must match [a-z][a-z0-9-]*");
    Path throwing =
        plugin(
            "throwing.jar",
            "Throwing",
            provider("Throwing", "throwing")
                .replace(
                    "Throwing() {}", "Throwing() { throw new IllegalStateException(\"oh\"); }"));
    EXPECTED.put(
        "throwing.jar",
        "collector plug-in bad.Throwing in "
            + throwing
            + " cannot be made: java.lang.IllegalStateException: oh");
    Path absent =
        jar(
            "absent.jar",
            Map.of("bad/Present.java", provider("Present", "present"), SERVICE, "bad.Presnt"));
    EXPECTED.put(
        "absent.jar",
        "collector plug-in bad.Presnt in "
            + absent
            + ": "
            + SERVICE
            + " lists it, but there is no such class; the only provider there is bad.Present"
            + " (bad.Present?)");
    EXPECTED.put(
        "absent.jar, too",
        absent
            + ": bad.Present implements dev.gleaner.spi.CollectorProvider, but "
            + SERVICE
            + " lists only bad.Presnt, not it; packing several jars into one must merge these"
            + " files");
    Path needy =
        jar(
            "needy.jar",
            Map.of(
                "bad/Needy.java",
                provider("Needy", "needy").replace("class Needy", "class Needy extends Helper"),
                "bad/Helper.java",
                "package bad; public class Helper {}",
                SERVICE,
                "bad.Needy"),
            "bad/Helper.class");
    EXPECTED.put("needy.jar", "collector plug-in bad.Needy in " + needy + ": " + NEEDS);
    Path late =
        jar(
            "late.jar",
            Map.of(
                "bad/Late.java",
                provider("Late", "late")
                    .replace("return Heapless", "new Helper(); return Heapless"),
                "bad/Helper.java",
                "package bad; public class Helper {}",
                SERVICE,
                "bad.Late"),
            "bad/Helper.class");
    UNUSABLE.put("late.jar", "collector late in " + late + " cannot be set up: " + NEEDS);
    Path broken = folder.resolve("broken.jar");
    Files.writeString(broken, "PK, but no jar");
    EXPECTED.put("broken.jar", broken + ": not a jar: ");
    Path fat =
        jar(
            "fat.jar",
            Map.of(
                "bad/Listed.java",
                provider("Listed", "listed"),
                "bad/Forgotten.java",
                provider("Forgotten", "forgotten"),
                SERVICE,
                "bad.Listed"));
    EXPECTED.put(
        "fat.jar",
        fat
            + ": bad.Forgotten implements dev.gleaner.spi.CollectorProvider, but "
            + SERVICE
            + " lists only bad.Listed, not it; packing several jars into one must merge these"
            + " files");
    Path silent = jar("silent.jar", Map.of("bad/Silent.java", provider("Silent", "silent")));
    EXPECTED.put(
        "silent.jar",
        silent
            + ": bad.Silent implements dev.gleaner.spi.CollectorProvider, but there is no "
            + SERVICE
            + " to list it; packing several jars into one must merge these files");
    buildTaken();
    buildUnusable();
    PluginJar.build(PluginJar.sources("tutorial/step4"), folder.resolve("tutorial.jar"));
  }

  /** What belongs to others: a class, a built-in's name. */
  private static void buildTaken() throws IOException {
    Path one = plugin("doubled-1.jar", "Doubled", provider("Doubled", "doubled"));
    Path two = plugin("doubled-2.jar", "Doubled", provider("Doubled", "doubled"));
    EXPECTED.put(
        "doubled",
        "collector plug-in bad.Doubled is in several jars, and none of them is used: "
            + one
            + " (version 7.1), "
            + two
            + " (version 7.1); leave one");
    Path builtIn = plugin("built-in.jar", "BuiltIn", provider("BuiltIn", "marksweep"));
    EXPECTED.put(
        "built-in.jar",
        "collector plug-in bad.BuiltIn in "
            + builtIn
            + ": the name marksweep belongs to dev.gleaner.collector.marksweep.");
    Path again =
        jar(
            "again.jar",
            Map.of(
                "dev/gleaner/collector/marksweep/MarkSweepProvider.java",
                provider("MarkSweepProvider", "marksweep")
                    .replace("package bad", "package dev.gleaner.collector.marksweep")
                    .replace("Heapless::make", "c -> null"),
                SERVICE,
                "dev.gleaner.collector.marksweep.MarkSweepProvider"));
    EXPECTED.put(
        "again.jar",
        "collector plug-in dev.gleaner.collector.marksweep.MarkSweepProvider in "
            + again
            + " (version 7.1) is not used: the class path has that class, too, in ");
    Path deep =
        jar(
            "deep.jar",
            Map.of(
                "bad/Deep.java",
                provider("Deep", "deep"),
                SERVICE,
                "bad.Deep",
                "reference.conf",
                "\ngleaner " + "{ a ".repeat(100_000) + "}".repeat(100_000)));
    EXPECTED.put("deep.jar", deep + "!/reference.conf: 2: braces and brackets more than 100 deep");
  }

  private static void buildUnusable() throws IOException {
    for (String name : List.of("a-good", "fat")) {
      UNUSABLE.put(
          name,
          "collector "
              + (name.equals("fat") ? "listed" : "good")
              + " in "
              + folder.resolve(name + ".jar")
              + " cannot open a heap: java.lang.IllegalStateException: heapless");
    }
    Path module =
        plugin(
            "module.jar",
            "ModuleThrows",
            provider("ModuleThrows", "module-throws")
                .replace(
                    "return Heapless",
                    "if (true) throw new IllegalStateException(\"oh\"); return Heapless"));
    UNUSABLE.put(
        "module.jar",
        "collector module-throws in "
            + module
            + " cannot be set up: java.lang.IllegalStateException: oh");
    for (String thrower : List.of("configure", "provide")) {
      Path jar = moduleThat(thrower);
      UNUSABLE.put(
          thrower,
          "collector that-"
              + thrower
              + "s in "
              + jar
              + " cannot be set up: "
              + "java.lang.IllegalStateException: oh, from "
              + thrower);
    }
    Path bare =
        plugin(
            "bare.jar",
            "Bare",
            provider("Bare", "bare")
                .replace(
                    "return Heapless", "settings.own().integer(\"depth\", 1, 9); return Heapless"));
    UNUSABLE.put(
        "bare.jar",
        bare + ": gleaner.collectors.bare.depth: not set, and no reference.conf has a default");
    String other =
        " cannot open a heap: version 7.1 of it was built against gleaner-api 0.0.9, and installed"
            + " is gleaner-api "
            + API
            + ": java.lang.";
    Path gone =
        jar(
            "gone.jar",
            Map.of(
                "bad/Gone.java",
                provider("Gone", "gone").replace("Heapless::make", "dev.gleaner.space.Later::make"),
                "dev/gleaner/space/Later.java",
                HEAPLESS
                    .replace("package bad", "package dev.gleaner.space")
                    .replace("final class Heapless", "public final class Later")
                    .replace("static Collector", "public static Collector"),
                SERVICE,
                "bad.Gone"),
            "dev/gleaner/space/Later.class");
    UNUSABLE.put(
        "gone.jar",
        "collector gone in "
            + gone
            + other.replace("open a heap", "be set up")
            + "NoClassDefFoundError: dev/gleaner/space/Later");
    Path later =
        jar(
            "later.jar",
            Map.of(
                "bad/Later.java",
                provider("Later", "later")
                    .replace("Heapless::make", "c -> { Values.later(); return null; }"),
                "dev/gleaner/layout/Values.java",
                "package dev.gleaner.layout; public class Values { public static void later() {} }",
                SERVICE,
                "bad.Later"),
            "dev/gleaner/layout/Values.class");
    UNUSABLE.put(
        "later.jar",
        "collector later in "
            + later
            + other
            + "NoSuchMethodError: 'void dev.gleaner.layout.Values.later()'");
  }

  /** One with a Guice module of its own, which throws in one of its methods. */
  private static Path moduleThat(String thrower) throws IOException {
    String type = "That" + thrower;
    String module =
        """
        public Module module(CollectorSettings settings) {
          return new com.google.inject.AbstractModule() {
            protected void configure() {
              fail("configure");
              bind(CollectorFactory.class).toProvider(() -> {
                fail("provide");
                return Heapless::make;
              });
            }
          };
        }
        static void fail(String where) {
          if (where.equals("%s")) { throw new IllegalStateException("oh, from " + where); }
        }
        public CollectorTraits traits\
        """
            .formatted(thrower);
    return plugin(
        thrower + ".jar",
        type,
        provider(type, "that-" + thrower + "s")
            .replace(" implements CollectorProvider", " implements GuiceCollectorProvider")
            .replace("  public CollectorTraits traits", module));
  }

  private static Path plugin(String jar, String type, String source) throws IOException {
    return jar(jar, Map.of("bad/" + type + ".java", source, SERVICE, "bad." + type + "\n"));
  }

  @Test
  void theListTellsOfEachAndHasTheOthers() throws Exception {
    Result result = PluginJar.gleaner("collectors", "--plugin-path", folder.toString());
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.err()).hasSize(EXPECTED.size() + UNUSABLE.size());
    for (Map<String, String> problems : List.of(EXPECTED, UNUSABLE)) {
      for (String problem : problems.values()) {
        assertThat(result.err()).anyMatch(line -> line.startsWith(problem));
      }
    }
    for (String collector : List.of("tutorial", "marksweep")) {
      assertThat(result.out()).anyMatch(line -> line.startsWith(collector + " "));
    }
    for (String collector : List.of("late", "good", "later", "gone", "bare", "doubled")) {
      assertThat(result.out()).noneMatch(line -> line.startsWith(collector + " "));
    }
  }

  @Test
  @Tag("exhaustive")
  void theOthersAreCompared() throws Exception {
    Result result =
        PluginJar.gleaner(
            "compare",
            "--plugin-path=" + folder,
            "--collector=tutorial,marksweep",
            "--workload=binary-trees:depth=6",
            "--runs=1",
            "--report=" + folder.resolve("report.html"),
            "--quiet");
    assertThat(result.exit()).as("%s", result).isZero();
    assertThat(result.err()).hasSameSizeAs(EXPECTED.values()); // the others are not asked for
    for (String collector : List.of("tutorial", "marksweep")) {
      assertThat(result.out()).anyMatch(line -> line.startsWith(collector + " "));
    }
  }

  static List<String> wrong() {
    return List.of(
        "twice",
        "doubled",
        "deep",
        "illegal",
        "throwing",
        "present",
        "needy",
        "broken",
        "forgotten",
        "silent");
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void whoAsksForOneIsToldOfAll(String collector) {
    try (PluginPath path = PluginPath.of(List.of(folder))) {
      assertThatThrownBy(() -> Gleaner.factory(config(collector), List.of(path.loader())))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(
              "gleaner.collector = \""
                  + collector
                  + "\": no collector of that name; there are bare, framestack, gone, good,"
                  + " hybrid, late, later, listed, marksweep, module-throws, refcount, semispace,"
                  + " that-configures, that-provides, tutorial")
          .satisfies(e -> {
            for (String problem : EXPECTED.values()) {
              assertThat(e).hasMessageContaining(problem);
            }
          });
    }
  }

  @Test
  void whatIsWrongOnlyOnceItIsChosenIsToldThen() {
    try (PluginPath path = PluginPath.of(List.of(folder))) {
      assertThatThrownBy(() -> Gleaner.factory(config("late"), List.of(path.loader())))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(UNUSABLE.get("late.jar"));
    }
  }

  @Test
  void theOthersOpenHeaps() {
    try (PluginPath path = PluginPath.of(List.of(folder))) {
      for (String collector : List.of("tutorial", "marksweep")) {
        try (Heap heap = Gleaner.factory(config(collector), List.of(path.loader())).open()) {
          heap.mutator().enter(1);
          heap.mutator().newString(0, "usable");
          assertThat(heap.mutator().getString(0)).isEqualTo("usable");
        }
      }
    }
  }

  private static Config config(String collector) {
    return ConfigFactory.parseString("gleaner.collector = " + collector);
  }
}
