package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("exhaustive")
class CompareUpToTest {
  @TempDir private Path dir;

  private JsonNode compare(String upTo) throws IOException {
    Result result =
        Result.of(
            "compare",
            "--workload",
            "tail:n=1000",
            "--collector",
            "refcount,hybrid",
            "--runs",
            "1",
            "--up-to",
            upTo,
            "--format",
            "json",
            "--quiet",
            "--report",
            dir.resolve("r.html").toString());
    assertThat(result.err()).isEmpty();
    return new ObjectMapper().readTree(result.out()).at("/results");
  }

  /**
   * One run decides nothing, so there are more, the same for all, three at least: the fewest that
   * can decide. Without time there are none.
   */
  @Test
  void goesOnWhereNothingIsDecided() throws IOException {
    JsonNode results = compare("10m");
    int runs = results.at("/0/runs").size();
    assertThat(runs).isBetween(3, 60);
    assertThat(results.at("/1/runs")).hasSize(runs);
    assertThat(compare("0s").at("/0/runs")).hasSize(1);
  }

  @Test
  void aTimeIsNeeded() {
    Result wrong = Result.of("compare", "--up-to", "soon");
    assertThat(wrong.status()).isEqualTo(2);
    assertThat(wrong.err()).contains("--up-to soon: a time such as 30s, 10m or 2h");
  }
}
