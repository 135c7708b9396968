package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonJsonTest {
  private static JsonNode read(String json) throws IOException {
    return new ObjectMapper().readTree(json);
  }

  @Test
  void keepsTheSchema() throws IOException {
    Comparison comparison =
        Examples.comparison(
            Examples.row("hybrid", Examples.run("ok", 5L, 1.5), RunResult.failed("why")));
    JsonNode document = read(ComparisonJson.text(List.of(comparison)));
    assertThat(document.fieldNames())
        .toIterable()
        .containsExactly("schema", "workload", "machine", "verdict", "results");
    assertThat(document.at("/schema").intValue()).isEqualTo(1);
    assertThat(document.at("/workload/name").textValue()).isEqualTo("churn");
    assertThat(document.at("/workload/parameters/slots").intValue()).isEqualTo(1000);
    assertThat(document.at("/machine/memory_bytes").longValue()).isEqualTo(16L << 30);
    JsonNode result = document.at("/results/0");
    assertThat(result.fieldNames())
        .toIterable()
        .containsExactly("collector", "version", "settings", "runs");
    assertThat(result.at("/settings/gleaner/verify").textValue()).isEqualTo("off");
    JsonNode run = result.at("/runs/0");
    assertThat(run.fieldNames())
        .toIterable()
        .containsExactly(
            "seconds",
            "cpu_seconds",
            "process_cpu_seconds",
            "allocated_bytes",
            "allocated_elements",
            "collections",
            "pause_seconds",
            "peak_used_bytes",
            "bytes_per_element",
            "reclaimed_elements",
            "moved_elements",
            "live_elements_at_end",
            "finalizers_run",
            "checksum",
            "status",
            "extras");
    assertThat(run.at("/pause_seconds").fieldNames())
        .toIterable()
        .containsExactly("total", "p50", "p99", "max");
    assertThat(run.at("/seconds").doubleValue()).isEqualTo(1.5);
    assertThat(run.at("/collections").isIntegralNumber()).isTrue();
    assertThat(run.at("/checksum").longValue()).isEqualTo(5);
    assertThat(run.at("/extras/collection_1_ms").doubleValue()).isEqualTo(12.345);
    JsonNode failed = result.at("/runs/1");
    assertThat(failed.at("/status").textValue()).isEqualTo("failed: why");
    assertThat(failed.at("/seconds").isNull()).isTrue();
    assertThat(failed.at("/pause_seconds/max").isNull()).isTrue();
    assertThat(failed.at("/checksum").isNull()).isTrue();
  }

  @Test
  void severalWorkloadsAreAnArray() throws IOException {
    Comparison comparison = Examples.comparison(Examples.row("a", Examples.run("ok", 5L, 1.5)));
    assertThat(read(ComparisonJson.text(List.of(comparison, comparison)))).hasSize(2);
  }
}
