package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonCsvTest {
  @Test
  void hasALineForEveryRun() {
    Comparison comparison =
        Examples.comparison(
            Examples.row("hybrid", Examples.run("ok", 5L, 1.5), RunResult.failed("a, \"b\"")),
            Examples.row("jvm", Examples.run("ok", 5L, 1)));
    List<String> lines = ComparisonCsv.lines(List.of(comparison));
    assertThat(lines).hasSize(4);
    assertThat(lines.getFirst())
        .startsWith("workload,collector,version,run,seconds,cpu_seconds,")
        .contains(",pause_seconds_p99,")
        .endsWith(",checksum,status,extras");
    assertThat(lines.get(1))
        .startsWith("churn:slots=1_000,hybrid,1.0,1,1.5,1.5,1.5,123456789,")
        .endsWith(",5,ok,collection_1_ms=12.345");
    assertThat(lines.get(2))
        .startsWith("churn:slots=1_000,hybrid,1.0,2,,,,")
        .endsWith(",,\"failed: a, \"\"b\"\"\",");
    assertThat(lines.get(3)).startsWith("churn:slots=1_000,jvm,1.0,1,1.0,");
  }
}
