package dev.gleaner.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WorkloadsTest {

  @Test
  void areFoundByName() {
    assertThat(Workloads.names())
        .containsExactly(
            "gcbench",
            "binary-trees",
            "cycles",
            "churn",
            "strings",
            "graph",
            "list",
            "tail",
            "nest",
            "mutate",
            "closures",
            "finalizers",
            "properties",
            "buffers",
            "tenants",
            "md5",
            "monad",
            "parser",
            "document");
    for (Workload workload : Workloads.all()) {
      assertThat(Workloads.find(workload.name())).isSameAs(workload);
    }
    assertThat(Workloads.find("gcbensh")).isNull();
  }

  @Test
  void describeThemselvesInOneLine() {
    assertThat(Workloads.all())
        .allSatisfy(workload -> {
          String summary = workload.summary();
          assertThat(summary).isNotBlank().hasSizeLessThan(100).doesNotContain("\n");
          assertThat(summary).doesNotEndWith(".");
        });
  }

  @Test
  void allowTheirDefaults() {
    assertThat(Workloads.all())
        .allSatisfy(workload -> {
          assertThat(workload.defaults().keySet()).containsAll(workload.choices().keySet());
          assertThat(Parameters.of(workload, workload.defaults()).values())
              .isEqualTo(workload.defaults());
        });
  }

  @Test
  void allowEveryChoice() {
    Graph graph = new Graph();
    for (String shape : graph.choices().getOrDefault("shape", List.of())) {
      TestRun run = new TestRun(graph, Map.of("shape", shape));
      assertThat(Graph.Shape.of(run).name().toLowerCase(Locale.ROOT).replace('_', '-'))
          .isEqualTo(shape);
    }
  }

  @Test
  void drawTheSameNumbersAsThePeers() {
    Generator generator = new Generator();
    assertThat(generator.next()).isEqualTo(2913243);
    assertThat(generator.next()).isEqualTo((int) ((2913243L * 69069 + 12345) & 0x7fffffff));
  }

  @Test
  void drawWideIndexesInRange() {
    Generator generator = new Generator();
    int largest = 0;
    for (int i = 0; i < 100; i++) {
      int index = generator.wideIndex(Integer.MAX_VALUE);
      assertThat(index).isNotNegative();
      largest = Math.max(largest, index);
    }
    assertThat(largest).isGreaterThan(1 << 30);
  }
}
