package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonReaderTest {
  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("a.json"), text);
  }

  @Test
  void readsWhatWasWritten() throws IOException {
    Row row = Examples.row("a", Examples.run("ok", 5L, 1.5), RunResult.failed("why"));
    Comparison written =
        new Comparison("churn", Map.of("slots", "1000"), Examples.MACHINE, List.of(row));
    List<Comparison> both = List.of(written, written);
    assertThat(ComparisonReader.read(file(ComparisonJson.text(both)))).isEqualTo(both);
    assertThat(ComparisonReader.read(file(ComparisonJson.text(List.of(written)))))
        .containsExactly(written);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{                            | no JSON: line 1",
        "''                           | no \"schema\"",
        "[]                           | no comparison in it",
        "{}                           | no \"schema\"",
        "{\"schema\": 2}              | schema 2, not 1",
        "{\"schema\": 1}              | no \"workload\"",
        "7                            | no \"schema\""
      })
  void saysWhatIsWrong(String text, String message) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> ComparisonReader.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(message);
  }

  @Test
  void saysThatThereIsNoFile() {
    assertThatThrownBy(() -> ComparisonReader.read(folder.resolve("none.json")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("none.json: no such file");
  }
}
