package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
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
  void theDefaultsOfAPlugInComeFromItsJar() throws IOException {
    Path classes =
        Compiled.classes(
            folder,
            Map.of(
                "Own",
                Compiled.provider("Own", "", "\"own\"")
                    .replace("return b ->", "s.own().integer(\"size\", 1, 9); return b ->")));
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
