package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.kit.oracle.Soak;
import dev.gleaner.lab.output.SoakReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gleaner conform --soak}; what a soak does is tested in the kit. */
class SoakTest {
  @TempDir private Path folder;

  @Test
  void runsTheProgramOfASeedUnderEveryCollector() throws IOException {
    String found = folder.resolve("found").toString();
    Result result =
        Result.of("conform", "--soak=0s", "--seed=5", "--format=json", "--output=" + found);
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    JsonNode json = new ObjectMapper().readTree(result.out());
    assertThat(json.findValuesAsText("collector")).contains("marksweep");
    assertThat(json.findValuesAsText("programs")).containsOnly("1");
    assertThat(json.findValuesAsText("nextSeed")).containsOnly("6");
    assertThat(Path.of(found)).doesNotExist();
  }

  @Test
  void saysWhatWasDone() {
    Soak.Report report =
        new Soak.Report(
            17, Map.of("marksweep", new Soak.Count(1200, 3_400_000, 1)), Duration.ofSeconds(20));
    assertThat(SoakReport.text(report))
        .containsExactly(
            "marksweep: 1,200 programs, 3,400,000 operations, 1 failed",
            "3,400,000 operations in 20 s; the next seed is 17");
    assertThat(SoakReport.progress(report))
        .isEqualTo("seed 17, 1,200 programs, 3,400,000 operations, 1 failed");
    assertThat(SoakReport.csv(report)).endsWith("marksweep,1200,3400000,1,17,20");
    assertThat(SoakReport.line(new Soak.Found("marksweep", 9, "lost\nmore", "text", true, 9)))
        .isEqualTo("FAILED marksweep, seed 9: lost");
    assertThat(SoakReport.line(new Soak.Found("marksweep", 12, "lost", "", false, 9)))
        .isEqualTo("FAILED marksweep, seed 12: like seed 9");
  }
}
