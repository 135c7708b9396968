package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.HeapSettings.FinalizerOrder;
import dev.gleaner.settings.IncrementalSettings;
import dev.gleaner.settings.MarkSettings;
import dev.gleaner.settings.MemorySettings;
import dev.gleaner.settings.MemorySettings.Backing;
import dev.gleaner.settings.StringSettings;
import dev.gleaner.settings.ThreadSettings;
import dev.gleaner.settings.TortureSettings;
import dev.gleaner.settings.VoluntarySettings;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.testing.TestProviders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The strict reader: what it accepts, and to the letter what it says of the rest. */
class StrictReaderTest {

  private static final String TOP =
      "base-flags, collector, collectors, finalizer-order, finalizers, incremental, leak-stacks,"
          + " log, mark, memory, strings, threads, torture, trace, verify, voluntary";

  @TempDir Path folder;
  private ClassLoader plugins = getClass().getClassLoader();

  @BeforeEach
  void install() throws IOException {
    plugins = TestProviders.loader(Files.createDirectory(folder.resolve("plugins")));
  }

  private Config file(String text) {
    Path file = folder.resolve("app.conf");
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ConfigFactory.parseFile(file.toFile());
  }

  private DefaultHeapFactory factory(String text) {
    return factory(file(text).withFallback(ConfigFactory.parseString("gleaner.collector = plain")));
  }

  private DefaultHeapFactory factory(Config config) {
    return (DefaultHeapFactory) Gleaner.factory(config, List.of(plugins));
  }

  private HeapSettings settings(String text) {
    return factory(text).settings();
  }

  private String message(Config config) {
    ConfigurationException e =
        catchThrowableOfType(ConfigurationException.class, () -> factory(config));
    assertThat(e).as("no problem found").isNotNull();
    return String.valueOf(e.getMessage()).replace(folder + "/", "");
  }

  private String message(String text) {
    return message(file(text).withFallback(ConfigFactory.parseString("gleaner.collector = plain")));
  }

  /** The one problem in a file of one line. */
  private String problem(String line) {
    String message = message(line);
    assertThat(message).startsWith("1 problem in the configuration\n  app.conf: 1: ");
    return message.substring("1 problem in the configuration\n  app.conf: 1: ".length());
  }

  @Test
  void readsTheDefaults() {
    assertThat(settings(""))
        .isEqualTo(
            new HeapSettings(
                "plain",
                new MemorySettings(1L << 30, 16 << 10, Backing.AUTO, 64),
                new StringSettings(256, 4, Integer.MAX_VALUE, OptionalLong.empty()),
                new VoluntarySettings(true, 1, 1024, 0),
                0,
                true,
                FinalizerOrder.REGISTRATION,
                new TortureSettings(0, false, 0),
                false,
                new MarkSettings(65536, 1),
                new IncrementalSettings(false, 500_000, 512),
                new ThreadSettings(32, 1 << 27),
                false,
                false));
  }

  @Test
  @Tag("D15")
  @Tag("D21")
  @Tag("D28")
  void readsEverySetting() {
    assertThat(
            settings(
                """
                gleaner {
                  memory { max = 64KiB, initial = 1 KiB, backing = grown }
                  strings { initial = 1024, access-cache = 0, max-interned = 40, hash-seed = -5 }
                  voluntary { enabled = false, mult = 2.5, add = 0 }
                  base-flags = [no-finalizers, emergency, no-object-compaction]
                  finalizers = off
                  finalizer-order = reverse
                  torture { gc = every-allocation, finalizers = on, seed = -7 }
                  verify = after-collection
                  mark { recursion-limit = 256, threads = 4 }
                  incremental { enabled = true, slice = 1ms, allocations-per-slice = 10 }
                  threads { initial-stack-slots = 8, max-stack-slots = 1000000 }
                  leak-stacks = on
                  log = gc
                }
                """))
        .isEqualTo(
            new HeapSettings(
                "plain",
                new MemorySettings(64 << 10, 1 << 10, Backing.GROWN, 64),
                new StringSettings(1024, 0, 40, OptionalLong.of(-5)),
                new VoluntarySettings(false, 2.5, 0, 0),
                CollectFlags.NO_FINALIZERS
                    | CollectFlags.EMERGENCY
                    | CollectFlags.NO_OBJECT_COMPACTION,
                false,
                FinalizerOrder.REVERSE,
                new TortureSettings(1, true, -7),
                true,
                new MarkSettings(256, 4),
                new IncrementalSettings(true, 1_000_000, 10),
                new ThreadSettings(8, 1_000_000),
                true,
                true));
  }

  @Test
  void sayAllProblemsAtOnceInTheOrderOfTheFile() {
    assertThat(
            message(
                """
                gleaner {
                  # the two of the house style
                  memory.max = 1GiB

                  collector = "plane"
                  memory {
                    mx = 5
                    initial = none
                  }
                }
                """))
        .isEqualTo(
            """
            3 problems in the configuration
              app.conf: 5: gleaner.collector = "plane": no collector of that name; there are plain, rich (plain?)
              app.conf: 7: gleaner.memory.mx: unknown setting; known here: backing, collection-overhead, initial, max (max?)
              app.conf: 8: gleaner.memory.initial = "none": must be a size from 0 to 1TiB, such as 65536, 512k, 64KiB or 1 GiB\
            """);
  }

  @Test
  void theProblemsAreAListToo() {
    assertThatThrownBy(() -> factory(file("gleaner { x = 1, y = 2, collector = plain }")))
        .isInstanceOfSatisfying(
            ConfigurationException.class, e -> assertThat(e.problems()).hasSize(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          65536              | 65536
          64KiB              | 65536
          64 KiB             | 65536
          64k                | 65536
          64K                | 65536
          512k               | 524288
          1 GiB              | 1073741824
          1GiB               | 1073741824
          1.5MiB             | 1572864
          100 kB             | 100000
          "65536"            | 65536
          1e6                | 1000000
          1TiB               | 1099511627776
          """)
  void readsSizes(String text, long bytes) {
    assertThat(settings("gleaner.memory.max = " + text).memory().max()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          63KiB              | "63KiB"
          2TiB               | "2TiB"
          65535              | 65535
          -1                 | -1
          65536.5            | 65536.5
          many               | "many"
          64 kibi            | "64 kibi"
          ""                 | ""
          true               | true
          null               | null
          [1]                | [1]
          99999999999999999999GiB | "99999999999999999999GiB"
          1e999999999        | Infinity
          """)
  void rejectsSizes(String text, String shown) {
    assertThat(problem("gleaner.memory.max = " + text))
        .isEqualTo(
            "gleaner.memory.max = "
                + shown
                + ": must be a size from 64KiB to 1TiB, such as 65536, 512k, 64KiB or 1 GiB");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          mark.recursion-limit = 15    | mark.recursion-limit = 15: must be a whole number from 16 to 1000000000
          mark.recursion-limit = 99.5  | mark.recursion-limit = 99.5: must be a whole number from 16 to 1000000000
          mark.recursion-limit = "x"   | mark.recursion-limit = "x": must be a whole number from 16 to 1000000000
          mark.recursion-limit = 5000000000 | mark.recursion-limit = 5000000000: must be a whole number from 16 to 1000000000
          mark.threads = 0             | mark.threads = 0: must be a whole number from 1 to 64
          mark.recursion-limit = {}    | mark.recursion-limit = {}: must be a whole number from 16 to 1000000000
          voluntary.mult = -1          | voluntary.mult = -1: must be a number from 0 to 1000000
          voluntary.mult = 0.0019      | voluntary.mult = 0.0019: must be 0, or at least 1/512: it is taken in steps of 1/256
          voluntary.mult = NaN         | voluntary.mult = "NaN": must be a number from 0 to 1000000
          voluntary.mult = "1,5"       | voluntary.mult = "1,5": must be a number from 0 to 1000000
          voluntary.enabled = maybe    | voluntary.enabled = "maybe": must be true or false
          voluntary.enabled = 1        | voluntary.enabled = 1: must be true or false
          voluntary.enabled = null     | voluntary.enabled = null: must be true or false
          finalizers = of              | finalizers = "of": must be on or off
          torture.finalizers = []      | torture.finalizers = []: must be on or off
          torture.seed = 1.5           | torture.seed = 1.5: must be a whole number from -9223372036854775808 to 9223372036854775807
          torture.gc = on              | torture.gc = "on": must be off, every-allocation or a whole number from 1 to 1000000000000
          torture.gc = 0               | torture.gc = 0: must be off, every-allocation or a whole number from 1 to 1000000000000
          torture.gc = null            | torture.gc = null: must be off, every-allocation or a whole number from 1 to 1000000000000
          verify = after-collections   | verify = "after-collections": must be one of after-collection, off (after-collection?)
          verify = on                  | verify = "on": must be one of after-collection, off
          memory.backing = Reserve     | memory.backing = "Reserve": must be one of auto, grown, reserved (reserved?)
          memory.backing = 7           | memory.backing = 7: must be one of auto, grown, reserved
          incremental.slice = 500      | incremental.slice = 500: must be a time from 1us to 10s, with a unit, such as 500us or 2ms
          incremental.slice = "500"    | incremental.slice = "500": must be a time from 1us to 10s, with a unit, such as 500us or 2ms
          incremental.slice = 999ns    | incremental.slice = "999ns": must be a time from 1us to 10s, with a unit, such as 500us or 2ms
          incremental.slice = 11s      | incremental.slice = "11s": must be a time from 1us to 10s, with a unit, such as 500us or 2ms
          incremental.slice = soon     | incremental.slice = "soon": must be a time from 1us to 10s, with a unit, such as 500us or 2ms
          strings.initial = 1000       | strings.initial = 1000: must be a power of two, such as 512 or 1024
          strings.access-cache = 257   | strings.access-cache = 257: must be a whole number from 0 to 256
          strings.hash-seed = none     | strings.hash-seed = "none": must be random or a whole number of 64 bits
          strings.hash-seed = 1.5      | strings.hash-seed = 1.5: must be random or a whole number of 64 bits
          collector = null             | collector = null: must be a text
          collector = [a]              | collector = ["a"]: must be a text
          """)
  void saysWhatIsLegal(String line, String problem) {
    assertThat(problem("gleaner." + line)).isEqualTo("gleaner." + problem);
  }

  @Test
  void checksSettingsAgainstEachOther() {
    assertThat(
            message(
                """
                gleaner.memory.max = 64KiB
                gleaner.memory.initial = 1MiB
                gleaner.threads.initial-stack-slots = 2000
                gleaner.threads.max-stack-slots = 1000
                """))
        .isEqualTo(
            """
            2 problems in the configuration
              app.conf: 2: gleaner.memory.initial = "1MiB": must be at most memory.max, which is 64KiB
              app.conf: 3: gleaner.threads.initial-stack-slots = 2000: must be at most threads.max-stack-slots, which is 1000\
            """);
  }

  @Test
  void aWrongValueCausesNoSecondProblem() {
    // The default takes its place, not the least legal value.
    assertThat(problem("gleaner.memory { max = much, initial = 1MiB }"))
        .startsWith("gleaner.memory.max = \"much\": ");
  }

  @Test
  @Tag("D15")
  void readsFlags() {
    assertThat(settings("gleaner.base-flags = [no-string-table-resize]").baseFlags())
        .isEqualTo(CollectFlags.NO_STRING_TABLE_RESIZE);
    assertThat(settings("gleaner.base-flags = \"emergency, no-finalizers\"").baseFlags())
        .isEqualTo(CollectFlags.EMERGENCY | CollectFlags.NO_FINALIZERS);
    assertThat(settings("gleaner.base-flags { 0 = emergency, 1 = no-finalizers }").baseFlags())
        .isEqualTo(CollectFlags.EMERGENCY | CollectFlags.NO_FINALIZERS);
    assertThat(settings("gleaner.base-flags = []").baseFlags()).isZero();
    String all = "emergency, no-finalizers, no-object-compaction, no-string-table-resize";
    assertThat(message("gleaner.base-flags = [\n  emergency\n  no-finalisers\n  3]"))
        .isEqualTo(
            "2 problems in the configuration\n"
                + "  app.conf: 3: gleaner.base-flags[1] = \"no-finalisers\": must be one of "
                + all
                + " (no-finalizers?)\n"
                + "  app.conf: 4: gleaner.base-flags[2] = 3: must be one of "
                + all);
    assertThat(problem("gleaner.base-flags = 5"))
        .isEqualTo("gleaner.base-flags = 5: must be a list of " + all);
    assertThat(problem("gleaner.base-flags { a = emergency }"))
        .isEqualTo("gleaner.base-flags = {\"a\":\"emergency\"}: must be a list of " + all);
  }

  @Test
  @Tag("D28")
  void readsTorture() {
    assertThat(settings("gleaner.torture.gc = off").torture().gcEvery()).isZero();
    assertThat(settings("gleaner.torture.gc = false").torture().gcEvery()).isZero();
    assertThat(settings("gleaner.torture.gc = 100").torture().gcEvery()).isEqualTo(100);
    assertThat(settings("gleaner.torture.gc = \"100\"").torture().gcEvery()).isEqualTo(100);
  }

  @ParameterizedTest
  @CsvSource({"on,true", "true,true", "yes,true", "off,false", "false,false", "no,false"})
  void readsSwitches(String text, boolean value) {
    assertThat(settings("gleaner.finalizers = " + text).finalizers()).isEqualTo(value);
    assertThat(settings("gleaner.voluntary.enabled = \"" + text + '"').voluntary().enabled())
        .isEqualTo(value);
  }

  @Test
  void findsUnknownKeysEverywhere() {
    assertThat(problem("gleaner.colector = plain"))
        .isEqualTo("gleaner.colector: unknown setting; known here: " + TOP + " (collector?)");
    assertThat(problem("gleaner { \"odd.key\" { a = 1 } }"))
        .isEqualTo("gleaner.\"odd.key\": unknown setting; known here: " + TOP);
    assertThat(problem("gleaner.incremental.sliec = 1ms"))
        .isEqualTo(
            "gleaner.incremental.sliec: unknown setting; known here: allocations-per-slice,"
                + " enabled, slice (slice?)");
    assertThat(problem("gleaner.unknown = null"))
        .isEqualTo("gleaner.unknown: unknown setting; known here: " + TOP);
    assertThat(problem("gleaner.empty {}"))
        .isEqualTo("gleaner.empty: unknown setting; known here: " + TOP);
  }

  @Test
  void findsValuesWhereSectionsBelong() {
    assertThat(problem("gleaner.memory = 1GiB"))
        .isEqualTo(
            "gleaner.memory = \"1GiB\": must be a section { … } with backing, collection-overhead,"
                + " initial, max");
    assertThat(problem("gleaner.mark = null"))
        .isEqualTo("gleaner.mark = null: must be a section { … } with recursion-limit, threads");
    assertThat(problem("gleaner.collectors = plain"))
        .isEqualTo(
            "gleaner.collectors = \"plain\": must be a section { … } with a section for each"
                + " collector");
    assertThat(problem("gleaner.collectors.rich = 3"))
        .isEqualTo("gleaner.collectors.rich = 3: must be a section { … }");
    assertThat(message(ConfigFactory.parseString("gleaner = 3")))
        .contains("String: 1: gleaner = 3: must be a section { … }");
  }

  @Test
  void readsWhatAPlugInHasOfItsOwn() {
    DefaultHeapFactory factory = factory("gleaner.collector = rich");
    assertThat(factory.traits().text()).isEqualTo("incremental");
    factory = factory("gleaner { collector = rich, collectors.rich.cycles = on }");
    assertThat(factory.traits().capabilities())
        .containsExactly(Capability.CYCLES, Capability.INCREMENTAL);
    assertThat(factory.collector()).isEqualTo("rich");
  }

  @Test
  void checksWhatAPlugInHasOfItsOwn() {
    String text =
        """
        gleaner.collector = %s
        gleaner.collectors.rich {
          mode = very_slow
          chunk = 1
          inner.depht = 4
          lable = x
          label = 5
          memory.max = 1
          memory.mx = 1
        }
        """;
    String expected =
        """
        7 problems in the configuration
          app.conf: 3: gleaner.collectors.rich.mode = "very_slow": must be one of fast, very-slow (very-slow?)
          app.conf: 4: gleaner.collectors.rich.chunk = 1: must be a size from 1KiB to 1MiB, such as 65536, 512k, 64KiB or 1 GiB
          app.conf: 5: gleaner.collectors.rich.inner.depht: unknown setting; known here: depth (depth?)
          app.conf: 6: gleaner.collectors.rich.lable: unknown setting; known here: base-flags, chunk, cycles, finalizer-order, finalizers, incremental, inner, label, leak-stacks, log, mark, memory, mode, strings, threads, torture, trace, verify, voluntary (label?)
          app.conf: 7: gleaner.collectors.rich.label = 5: must be a text
          app.conf: 8: gleaner.collectors.rich.memory.max = 1: must be a size from 64KiB to 1TiB, such as 65536, 512k, 64KiB or 1 GiB
          app.conf: 9: gleaner.collectors.rich.memory.mx: unknown setting; known here: backing, collection-overhead, initial, max (max?)\
        """;
    assertThat(message(text.formatted("rich"))).isEqualTo(expected);
    // Also when it is not the one that was chosen.
    assertThat(message(text.formatted("plain"))).isEqualTo(expected);
  }

  @Test
  void aKeyThatAPlugInNeverAsksForIsUnknownWherever() throws IOException {
    plugins =
        TestProviders.loader(
            Files.createDirectory(folder.resolve("odd")),
            "gleaner.collectors.plain.stale = 1",
            TestProviders.Plain.class.getName());
    assertThat(message(""))
        .contains("reference.conf @ file:")
        .contains("odd/reference.conf: 1: gleaner.collectors.plain.stale: unknown setting");
  }

  @Test
  void aSectionWithDefaultsThatNoHeapReadsIsAnotherLibrarys() throws IOException {
    plugins =
        TestProviders.loader(
            Files.createDirectory(folder.resolve("guests")),
            "gleaner.guests.size = 1",
            TestProviders.Plain.class.getName());
    assertThat(settings("gleaner { collector = plain, guests { size = 2, depth = 3 } }"))
        .isNotNull();
    assertThat(problem("gleaner { collector = plain, gusts.size = 2 }")).contains("(guests?)");
  }

  @Test
  void aSettingWithoutADefaultIsNamed() throws IOException {
    plugins =
        TestProviders.loader(
            Files.createDirectory(folder.resolve("bare")), "", TestProviders.Rich.class.getName());
    assertThat(message("gleaner.collector = rich"))
        .contains("gleaner.collectors.rich.chunk: not set, and no reference.conf has a default");
  }

  @Test
  void sectionsOfCollectorsThatAreNotInstalledAreErrors() {
    assertThat(problem("gleaner.collectors.rihc.mode = fast"))
        .isEqualTo(
            "gleaner.collectors.rihc: no collector of that name; there are plain, rich (rich?)");
  }

  @Test
  @Tag("D21")
  void aUsersSettingsPrecedeEveryDefault() {
    assertThat(settings("gleaner.collector = rich").voluntary().mult()).isEqualTo(50);
    assertThat(settings("gleaner { collector = rich, voluntary.mult = 2 }").voluntary().mult())
        .isEqualTo(2);
    String both =
        "gleaner { collector = %s, voluntary.mult = 2, collectors.rich.voluntary.mult = 20 }";
    assertThat(settings(both.formatted("rich")).voluntary().mult()).isEqualTo(20);
    assertThat(settings(both.formatted("plain")).voluntary().mult()).isEqualTo(2);
    assertThat(settings("gleaner.collectors.rich.finalizers = off").finalizers()).isTrue();
    assertThat(
            settings("gleaner { collector = rich, collectors.rich.finalizers = off }").finalizers())
        .isFalse();
  }

  @Test
  void worksOnWhatLoadGives() {
    Config config =
        ConfigFactory.load(
            ConfigFactory.parseString(
                "gleaner { collector = rich, memory.max = ${size} }\nsize = 1MiB"));
    assertThat(factory(config).settings().memory().max()).isEqualTo(1 << 20);
    assertThat(factory(config).settings().voluntary().mult()).isEqualTo(50);
  }

  @Test
  void resolvesByItself() {
    assertThat(settings("size = 1MiB, gleaner.memory.max = ${size}").memory().max())
        .isEqualTo(1 << 20);
    assertThat(message("gleaner.memory.max = ${size}"))
        .startsWith("1 problem in the configuration\n  app.conf: 1: ")
        .contains("${size}");
  }

  @Test
  void namesOtherSources() {
    assertThat(message(ConfigFactory.parseString("gleaner { collector = plain\n a = 1 }")))
        .isEqualTo(
            "1 problem in the configuration\n  String: 2: gleaner.a: unknown setting; known here: "
                + TOP);
    assertThat(
            message(
                ConfigFactory.parseMap(Map.of("gleaner.a", 1, "gleaner.collector", "plain"), "-D")))
        .isEqualTo(
            "1 problem in the configuration\n  -D: gleaner.a: unknown setting; known here: " + TOP);
  }

  @Test
  void systemPropertiesAreCheckedButForThoseOfTheTests() {
    String seed = System.getProperty("gleaner.seed", "");
    System.setProperty("gleaner.seed", "1");
    System.setProperty("gleaner.collector", "plain");
    System.setProperty("gleaner.memory.max", "1MiB");
    System.setProperty("gleaner.base-flags.0", "emergency");
    try {
      ConfigFactory.invalidateCaches();
      HeapSettings settings = factory(ConfigFactory.load()).settings();
      assertThat(settings.memory().max()).isEqualTo(1 << 20);
      assertThat(settings.baseFlags()).isEqualTo(CollectFlags.EMERGENCY);
      System.setProperty("gleaner.memory.mx", "1MiB");
      ConfigFactory.invalidateCaches();
      assertThat(message(ConfigFactory.load()))
          .isEqualTo(
              """
              1 problem in the configuration
                system properties: gleaner.memory.mx: unknown setting; known here: backing, collection-overhead, initial, max (max?)\
              """);
    } finally {
      for (String key : List.of("collector", "memory.max", "memory.mx", "base-flags.0")) {
        System.clearProperty("gleaner." + key);
      }
      System.setProperty("gleaner.seed", seed);
      ConfigFactory.invalidateCaches();
    }
  }

  @Test
  void longValuesAreCut() {
    assertThat(problem("gleaner.finalizers = \"" + "x".repeat(500) + '"')).hasSizeLessThan(150);
  }
}
