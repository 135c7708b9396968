package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.ForkedJvm.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A collector that moves elements, built by somebody else from a folder of sources and no more. */
@Tag("exhaustive")
class ThirdPartyTest {
  private static final String NAME = "markcompact";

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PluginPath plugins;

  @BeforeAll
  static void build() throws IOException {
    plugins = PluginJar.thirdParty(NAME, folder);
  }

  @AfterAll
  static void close() {
    if (plugins != null) { // the jars may not be packed
      plugins.close();
    }
  }

  private static Heap open(String settings) {
    return PluginJar.open(plugins, NAME, settings);
  }

  private static Result gleaner(String... arguments) throws Exception {
    return PluginJar.gleaner(
        Stream.concat(
                Stream.of(arguments), Stream.of("--plugin-path", folder.toString(), "--quiet"))
            .toArray(String[]::new));
  }

  private static JsonNode json(Result result) throws IOException {
    return new ObjectMapper().readTree(String.join("\n", result.out()));
  }

  @Test
  void isListed() throws Exception {
    Result result = gleaner("collectors", "--format=json");
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    for (JsonNode collector : json(result).at("/collectors")) {
      if (collector.at("/collector").textValue().equals(NAME)) {
        assertThat(collector.at("/version").textValue()).isEqualTo("7.1");
        assertThat(collector.at("/location").textValue())
            .isEqualTo(folder.resolve(NAME + ".jar").toString());
        assertThat(collector.at("/capabilities").toString())
            .isEqualTo("[\"cycles\",\"moving\",\"duktape-finalizers\"]");
        return;
      }
    }
    throw new AssertionError(result.out());
  }

  @Test
  void isComparedWithTheOthers() throws Exception {
    for (String workload : List.of("binary-trees:depth=10", "strings:n=200_000")) {
      Result result =
          gleaner(
              "compare",
              "--collector=all",
              "--workload=" + workload,
              "--baseline=jvm",
              "--runs=1",
              "--format=json");
      assertThat(result.err()).isEmpty();
      assertThat(result.exit()).isZero();
      JsonNode json = json(result);
      assertThat(json.at("/results").findValuesAsText("collector")).contains(NAME, "jvm");
      assertThat(json.findValuesAsText("checksum")).hasSizeGreaterThan(1);
      assertThat(json.findValues("checksum").stream().filter(c -> !c.isNull()).distinct())
          .as("a JVM may have none that is held to a collector's memory")
          .hasSize(1);
    }
  }

  @Test
  void itsSettingsAreCheckedLikeOurs() {
    try (Heap heap = open("collectors." + NAME + ".largest-chunk = 4KiB")) {
      assertThat(heap.inspect().verify()).isEmpty();
    }
    assertThatThrownBy(
            () -> open("collectors." + NAME + " { largest-chunk = 1KiB, largest-chnk = 3 }"))
        .hasMessageContaining(NAME + ".largest-chunk = \"1KiB\"")
        .hasMessageContaining(NAME + ".largest-chnk: unknown setting")
        .hasMessageContaining("(largest-chunk?)");
  }

  @Test
  void conforms() throws Exception {
    PluginJar.expectToConform(folder, NAME);
  }

  @Test
  void leavesNoGaps() {
    int n = 20_000;
    try (Heap heap = open("memory.max = 16MiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, n);
      for (int i = 0; i < n; i++) {
        t.newRecord(1, 3);
        t.storeInt(1, 0, i);
        t.store(0, i, 1);
      }
      t.newBuffer(1, 100_000);
      t.putByte(1, 99_999, (byte) 7);
      int hash = t.identityHash(1);
      long all = heap.statistics().committedBytes();
      for (int i = 0; i < n; i++) {
        if (i % 10 != 3) {
          t.storeNull(0, i);
        }
      }
      heap.collect();
      assertThat(heap.statistics().committedBytes()).isLessThan(all - n * 32 * 8 / 10);
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(t.identityHash(1)).isEqualTo(hash);
      assertThat(t.getByte(1, 99_999)).isEqualTo((byte) 7);
      for (int i = 3; i < n; i += 10) {
        t.load(1, 0, i);
        assertThat(t.loadInt(1, 0)).isEqualTo(i);
      }
    }
  }
}
