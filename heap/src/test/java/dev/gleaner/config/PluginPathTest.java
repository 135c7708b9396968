package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.testing.TestProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plug-ins from jars that are not on the class path. */
class PluginPathTest {

  @TempDir Path folder;

  private Path classes(String type, String name) throws IOException {
    Path classes = Compiled.classes(folder, Map.of(type, Compiled.provider(type, "", name)));
    TestProviders.writeServices(classes, "third." + type);
    return classes;
  }

  @Test
  void findsTheJarsOfAFolderAndSaysWhichIsNone() throws IOException {
    Path jars = Files.createDirectory(folder.resolve("jars"));
    Compiled.jar(classes("One", "\"one\""), jars.resolve("one.jar"), "1");
    Compiled.jar(classes("Two", "\"two\""), jars.resolve("two.jar"), "2");
    Files.writeString(jars.resolve("broken.jar"), "PK, but no jar");
    Files.writeString(jars.resolve("README"), "not looked at");
    try (PluginPath path = PluginPath.of(List.of(jars))) {
      assertThat(CollectorRegistry.discover(List.of(path.loader())).names())
          .containsExactly("one", "two");
      assertThat(path.problems()).hasSize(1);
      assertThat(path.problems().getFirst())
          .startsWith(jars.resolve("broken.jar") + ": not a jar: ");
      assertThat(
              Gleaner.factory(
                      ConfigFactory.parseString("gleaner.collector = two"), List.of(path.loader()))
                  .collector())
          .isEqualTo("two");
    }
  }

  @Test
  void aFolderOfClassesWillDo() throws IOException {
    try (PluginPath path = PluginPath.of(List.of(classes("One", "\"one\"")))) {
      assertThat(path.problems()).isEmpty();
      assertThat(CollectorRegistry.discover(List.of(path.loader())).names()).containsExactly("one");
    }
  }

  @Test
  void saysWhatIsMissing() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    Path absent = folder.resolve("absent.jar");
    Path library =
        Compiled.jar(
            Compiled.classes(folder, Map.of("X", "package third; class X {}")),
            folder.resolve("library.jar"),
            "1");
    try (PluginPath path = PluginPath.of(List.of(empty, absent, library))) {
      assertThat(path.problems())
          .containsExactly(
              empty + ": no jar in this folder",
              absent + ": no such file or folder",
              library
                  + ": no collector in it: there is no"
                  + " META-INF/services/dev.gleaner.spi.CollectorProvider");
    }
  }

  @Test
  void findsProvidersThatNoServicesFileLists() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Base",
                Compiled.provider("Base", "", "\"base\"")
                    .replace("public class", "public abstract class"),
                "One",
                "package third; public class One extends Base {"
                    + " public One() {} public String name() { return \"one\"; } }",
                "Two",
                Compiled.provider("Two", "", "\"two\""),
                "Hidden",
                Compiled.provider("Hidden", "", "\"hidden\"").replace("public class", "class"),
                "Wrapper",
                Compiled.provider("Wrapper", "", "\"wrapper\"")
                    .replace("public Wrapper()", "public Wrapper(String of)")));
    Files.writeString(classes.resolve("third/Broken.class"), "no class file");
    Path none = Compiled.jar(classes, folder.resolve("none.jar"), "1");
    String noFile =
        ": third.One, third.Two implement dev.gleaner.spi.CollectorProvider, but there is no"
            + " META-INF/services/dev.gleaner.spi.CollectorProvider to list them; packing several"
            + " jars into one must merge these files";
    try (PluginPath path = PluginPath.of(List.of(none))) {
      assertThat(path.problems()).containsExactly(none + noFile);
    }
    TestProviders.writeServices(classes, "third.Two");
    Path fat = Compiled.jar(classes, folder.resolve("fat.jar"), "1");
    try (PluginPath path = PluginPath.of(List.of(fat))) {
      assertThat(path.problems())
          .containsExactly(
              fat
                  + ": third.One implements dev.gleaner.spi.CollectorProvider, but"
                  + " META-INF/services/dev.gleaner.spi.CollectorProvider lists only third.Two,"
                  + " not it; packing several jars into one must merge these files");
      CollectorRegistry registry = CollectorRegistry.discover(List.of(path.loader()));
      assertThat(registry.names()).containsExactly("two");
      assertThat(registry.problems()).isEqualTo(path.problems());
      assertThatThrownBy(() ->
              Gleaner.factory(
                  ConfigFactory.parseString("gleaner.collector = one"), List.of(path.loader())))
          .hasMessageContaining("no collector of that name; there is only two")
          .hasMessageContaining(path.problems().getFirst());
    }
    TestProviders.writeServices(classes, "third.One", "third.Two");
    Path merged = Compiled.jar(classes, folder.resolve("merged.jar"), "1");
    try (PluginPath path = PluginPath.of(List.of(merged))) {
      assertThat(path.problems()).isEmpty();
    }
  }

  @Test
  void theDefaultsOfAPlugInComeFromItsJar() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Own",
                Compiled.provider("Own", "", "\"own\"")
                    .replace("return c ->", "s.own().integer(\"size\", 1, 9); return c ->")));
    TestProviders.writeServices(classes, "third.Own");
    Files.writeString(classes.resolve("reference.conf"), "gleaner.collectors.own.size = 5");
    Path jar = Compiled.jar(classes, folder.resolve("own.jar"), "1");
    try (PluginPath path = PluginPath.of(List.of(jar))) {
      assertThat(
              Gleaner.factory(
                      ConfigFactory.parseString("gleaner.collector = own"), List.of(path.loader()))
                  .collector())
          .isEqualTo("own");
    }
  }
}
