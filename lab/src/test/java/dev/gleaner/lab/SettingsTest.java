package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @TempDir private Path folder;

  private static Settings settings(
      @Nullable Path file, @Nullable String maxMemory, String... overrides) {
    return new Settings(file, List.of(overrides), maxMemory, List.of());
  }

  private static String max(Settings settings, long heapMemory) {
    Config config = settings.config("marksweep", heapMemory);
    return config.hasPath("gleaner.memory.max") ? config.getString("gleaner.memory.max") : "none";
  }

  @Test
  void theNearerToTheCommandLineTheStronger() throws IOException {
    Path file = Files.writeString(folder.resolve("a.conf"), "gleaner.memory.max = 3m");
    String override = "gleaner.memory.max=1m";
    assertThat(max(settings(file, "2m", "gleaner.memory.max=9m", override), 4)).isEqualTo("1m");
    assertThat(max(settings(file, "2m"), 4)).isEqualTo("2m");
    assertThat(max(settings(file, null), 4)).isEqualTo("3m");
    assertThat(max(settings(null, null), 4)).isEqualTo("4");
    assertThat(max(settings(null, null), 0)).isEqualTo("none");
  }

  @Test
  void theCollectorIsTheOneThatRuns() {
    Settings settings = settings(null, null, "gleaner.collector=other");
    assertThat(settings.config("hybrid", 0).getString("gleaner.collector")).isEqualTo("hybrid");
  }

  @Test
  void aFileIsThereAndReadable() {
    assertThatThrownBy(() -> settings(folder.resolve("none.conf"), null).config("a", 0))
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("none.conf: there is no such file");
  }

  @Test
  void saysWhereHoconIsWrong() throws IOException {
    Path file = Files.writeString(folder.resolve("bad.conf"), "gleaner {\n  memory = [\n}");
    assertThatThrownBy(() -> settings(file, null).config("a", 0))
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("bad.conf: 3");
  }

  @Test
  void anOverrideNamesASetting() {
    Settings.check("gleaner.memory.max=1m");
    assertThatThrownBy(() -> Settings.check("memory.max=1m"))
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("(gleaner.memory.max?)");
    assertThatThrownBy(() -> Settings.check("gleaner.verify"))
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("-D path=value");
  }

  @Test
  void aPluginPathLeadsSomewhere() {
    Path none = folder.resolve("none");
    Settings settings = new Settings(null, List.of(), null, List.of(none));
    assertThatThrownBy(settings::pluginPath)
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("--plugin-path " + none);
  }
}
