package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code record} and {@code replay}, and {@code compare --trace}. */
class TraceCommandsTest {
  @TempDir private Path dir;

  private String record(String workload) {
    String file = dir.resolve("my.trace").toString();
    Result result = Result.of("record", workload, "-o", file, "--collector", "hybrid");
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    assertThat(result.out())
        .startsWith(file + ": ")
        .contains(" operations of " + workload + " under hybrid\n")
        .endsWith(" bytes an operation\n");
    assertThat(result.out().replace(file, "my.trace").lines()).allMatch(l -> l.length() < 80);
    return file;
  }

  @Test
  void aWorkloadIsRecordedAndDoneAgainUnderAnyCollector() throws Exception {
    String file = record("properties:n=500");
    Result result = Result.of("replay", file, "--collector", "all", "--format", "json");
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    JsonNode rows = new ObjectMapper().readTree(result.out()).get("results");
    assertThat(rows).hasSizeGreaterThan(1);
    JsonNode first = rows.get(0).get("runs").get(0);
    for (JsonNode row : rows) {
      JsonNode run = row.get("runs").get(0);
      assertThat(run.get("status").asText()).isIn("ok", "leaked");
      assertThat(run.get("checksum")).isEqualTo(first.get("checksum"));
      assertThat(run.get("allocated_elements")).isEqualTo(first.get("allocated_elements"));
      assertThat(row.findValue("divergences").asLong()).isZero();
    }
  }

  @Test
  void aReplayCountsTheOperationsThatTheRecordingCounts() throws Exception {
    String file = dir.resolve("my.trace").toString();
    ObjectMapper mapper = new ObjectMapper();
    Result recorded = Result.of("record", "cycles:n=100", "-o", file, "--format", "json");
    Result replayed = Result.of("replay", file, "--format", "json");
    assertThat(mapper.readTree(replayed.out()).findValue("operations").asLong())
        .isEqualTo(mapper.readTree(recorded.out()).get("operations").asLong());
  }

  @Test
  void aReplayIsUnderTheRecordingsCollectorAndSettings() throws Exception {
    Path file = dir.resolve("s.trace");
    assertThat(
            Result.of(
                    "record",
                    "cycles:n=100",
                    "-o",
                    file.toString(),
                    "-D",
                    "gleaner.strings.initial=32")
                .status())
        .isZero();
    Result result = Result.of("replay", file.toString(), "--format", "json");
    JsonNode rows = new ObjectMapper().readTree(result.out()).get("results");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).get("collector").asText()).isEqualTo("marksweep");
    assertThat(rows.get(0).findValue("strings").get("initial").asInt()).isEqualTo(32);
    Result other =
        Result.of(
            "replay", file.toString(), "--format", "json", "-D", "gleaner.strings.initial=64");
    assertThat(new ObjectMapper().readTree(other.out()).findValue("strings").get("initial").asInt())
        .isEqualTo(64);
  }

  @Test
  @Tag("exhaustive")
  void aDivergenceIsShownAndFails() {
    String file = dir.resolve("small.trace").toString();
    Result recorded =
        Result.of(
            "record",
            "cycles:n=30000",
            "-o",
            file,
            "--max-memory",
            "64k",
            "-D",
            "gleaner.voluntary.enabled=false");
    assertThat(recorded.status()).isZero();
    Result result = Result.of("replay", file, "--collector", "refcount");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out())
        .contains("refcount: the first divergence: byte ")
        .contains(" was done in the recording, not here: ");
  }

  @Test
  void aTraceIsCompared() throws Exception {
    String file = record("churn:slots=100,n=1000");
    Result result =
        Result.of(
            "compare",
            "--trace",
            file,
            "--collector",
            "marksweep,semispace",
            "--runs",
            "1",
            "--quiet",
            "--format",
            "json");
    assertThat(result.status()).as(result.err()).isZero();
    JsonNode json = new ObjectMapper().readTree(result.out());
    assertThat(json.get("workload").get("name").asText()).isEqualTo("trace");
    assertThat(json.get("workload").get("parameters").get("file").asText()).isEqualTo(file);
    JsonNode rows = json.get("results");
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).findValue("checksum")).isEqualTo(rows.get(1).findValue("checksum"));
  }

  @Test
  void whatIsNoTraceIsRefusedWithThePlace() throws Exception {
    Path file = Files.writeString(dir.resolve("text.trace"), "this is no trace at all");
    for (String[] command :
        new String[][] {{"replay", file.toString()}, {"compare", "--trace", file.toString()}}) {
      Result result = Result.of(command);
      assertThat(result.status()).isEqualTo(2);
      assertThat(result.err())
          .isEqualTo(
              "gleaner: workload trace: "
                  + file
                  + ": byte 0: not a trace: it does not begin with GLNTRACE\n");
    }
    byte[] whole = Files.readAllBytes(Path.of(record("cycles:n=100")));
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    Result result = Result.of("replay", file.toString());
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.err()).contains(": byte ").contains("goes beyond the file's end");
    assertThat(Result.of("replay", dir.resolve("none").toString()).err())
        .isEqualTo("gleaner: " + dir.resolve("none") + ": there is no such file to read\n");
  }

  @Test
  void aWrongRequestIsRefused() {
    assertThat(Result.of("record", "churm", "-o", "x").err()).contains("churn?");
    assertThat(Result.of("record", "churn").status()).isEqualTo(2);
    String nowhere = dir.resolve("none").resolve("x.trace").toString();
    Result result = Result.of("record", "churn", "-o", nowhere);
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.err()).contains("must be a file in a folder that there is");
    assertThat(Result.of("record", "--help").out()).contains("gleaner compare --trace churn.trace");
    assertThat(Result.of("replay", "--help").out())
        .contains("gleaner replay my.trace --collector all");
  }
}
