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
  void aHeapIsShownAfterSoManyOperations() {
    String file = record("churn:slots=20,n=200");
    Result result = Result.of("replay", file, "--until", "100", "--print", "--collector", "all");
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    assertThat(result.out().lines())
        .filteredOn(l -> l.matches("\\w+: 100 of \\d+ operations"))
        .hasSizeGreaterThan(1);
    assertThat(result.out())
        .contains("main thread at ", "\n  current frame, slots: ", ": record of 20 at ")
        .contains(" pages of 1024 bytes, a character each\n");
    assertThat(Result.of("replay", file, "--until", "0", "--print").out())
        .startsWith("hybrid: 0 of ")
        .contains("\n  current frame, the bottom one, slots: 0\n");
    String all = Result.of("replay", file, "--print").out();
    assertThat(all).matches("(?s)hybrid: (\\d+) of \\1 operations\n.*");
  }

  /** Each operation that changes what is at a place is told, and none that does not. */
  @Test
  void aWatchedPlaceIsToldOf() {
    String file = record("churn:slots=20,n=200");
    for (String collector : new String[] {"hybrid", "refcount", "marksweep", "semispace"}) {
      String printed =
          Result.of("replay", file, "--collector", collector, "--until", "100", "--print").out();
      String offset = printed.replaceAll("(?s).*?: record of 2 at (\\d+).*", "$1");
      Result result =
          Result.of("replay", file, "--collector", collector, "--until", "150", "--watch", offset);
      assertThat(result.err()).isEmpty();
      assertThat(result.status()).isZero();
      assertThat(result.out().lines().toList())
          .hasSizeGreaterThan(2)
          .doesNotHaveDuplicates()
          .anyMatch(l -> l.matches("operation \\d+, new-record: the header of record of 2 at .*"));
      assertThat(result.out())
          .startsWith("at the start: nothing: ")
          .endsWith("\n" + collector + ": 150 of " + total(printed) + " operations\n");
    }
    assertThat(Result.of("replay", file, "--watch", "0x400", "--until", "1").status()).isZero();
  }

  private static String total(String printed) {
    return printed.lines().findFirst().orElseThrow().replaceAll(".* of (\\d+) operations", "$1");
  }

  @Test
  void aWrongViewOfAReplayIsRefused() {
    String file = record("cycles:n=100");
    for (String[] wrong :
        new String[][] {
          {"--until", "-1", "--until -1: from 0 to "},
          {"--until", "99999999999", "--until 99999999999: from 0 to "},
          {"--until", "many", "many"},
          {"--watch", "-8", "--watch -8: an offset is needed, such as 4096 or 0x1000"},
          {"--watch", "record", "--watch record: an offset is needed"},
          {"--watch", "99999999999999999999", "an offset is needed"},
          {"--format=json", "--print", "--until, --print and --watch show text"}
        }) {
      Result result = Result.of("replay", file, wrong[0], wrong[1]);
      assertThat(result.status()).as(wrong[1]).isEqualTo(2);
      assertThat(result.err()).contains(wrong[2]);
      assertThat(result.out()).isEmpty();
    }
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
