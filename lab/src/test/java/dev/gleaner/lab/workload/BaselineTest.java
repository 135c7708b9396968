package dev.gleaner.lab.workload;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.lab.workload.Sizes.Size;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs on plain Java objects: the published checksums, and those of small sizes. */
final class BaselineTest {

  static Stream<Size> sizes() {
    return Sizes.small().filter(size -> size.workload().baseline() != null);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void hasTheExpectedChecksum(Size size) {
    assertThat(Sizes.runBaseline(size.workload(), size.given())).isEqualTo(size.checksum());
  }

  @ParameterizedTest
  @CsvSource({
    "gcbench, 220703",
    "binary-trees, 68332206",
    "cycles, 50000005000000",
    "churn, 28257461823248",
  })
  @Tag("exhaustive")
  void hasThePublishedChecksumAtTheDefaultSize(String name, long checksum) {
    Workload workload = requireNonNull(Workloads.find(name));
    assertThat(Sizes.runBaseline(workload, Map.of())).isEqualTo(checksum);
  }

  @Test
  void graphReportsItsCollections() {
    Graph graph = new Graph();
    TestRun run = new TestRun(graph, Map.of("n", "1000"));
    graph.baseline().run(run);
    assertThat(run.extras).containsKeys("collection_1_ms", "collection_5_ms");
  }

  @Test
  void refusesSizesThatMakeNoSense() {
    Graph graph = new Graph();
    TestRun run = new TestRun(graph, Map.of("n", "0"));
    assertThatThrownBy(() -> graph.baseline().run(run))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("n = 0: the least is 1");
  }
}
