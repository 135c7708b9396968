package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "compar | \"compar\": no such command; there are bench, collectors, compare,",
        "compar | (compare?)",
        "compare --runns 3 | \"--runns\": no such option; there are",
        "compare --collector markswep | --collector \"markswep\": no such collector; there",
        "compare --collector all,x | --collector \"x\": no such collector; there",
        "compare --workload gcbnch | (gcbench?)",
        "compare --workload churn:slot=3 | \"slot\": no such parameter; there are slots, n"
            + " (slots?)",
        "compare --workload churn:n=x | n = \"x\": a whole number is needed",
        "compare --workload churn:n | parameters are given as key=value,key=value",
        "compare --workload graph:shape=lst | (list?)",
        "compare --workload heap-dump | file = FILE.hprof is needed",
        "compare --heap-dump /none.hprof | /none.hprof: there is no such file",
        "compare --runs 0 | --runs 0: at least 1",
        "compare --warmup -1 | --warmup -1: at least 0",
        "compare --baseline g1 | --baseline g1: there is only jvm",
        "compare --report /none/r.html | --report /none/r.html: there is no folder /none",
        "compare --report / | --report /: that is a folder",
        "compare --fail-if slow | --fail-if \"slow\": no condition",
        "compare --fail-if none.left>0 | none is not compared; there are",
        "compare -D verify=off | (gleaner.verify?)",
        "compare -D gleaner.verfy=off | (verify?)",
        "compare --max-memory much | --max-memory: 1: gleaner.memory.max = \"much\"",
        "compare --config /none.conf | --config /none.conf: there is no such file",
        "compare --plugin-path /none | --plugin-path /none: no such file or folder",
        "conform --collector markswep | --collector \"markswep\": no such collector; there",
        "conform --programs many | --programs",
        "conform --soak long | --soak long: a time such as 30s, 10m or 2h",
        "conform --soak 10 | --soak 10: a time such as 30s, 10m or 2h",
        "conform --soak 1s --torture | --torture: not with --soak",
        "conform --soak 1s --programs 3 | --programs: not with --soak",
        "conform --soak 1s -D gleaner.memory.max=abc | gleaner.memory.max = \"abc\": must be a"
            + " size",
        "conform --soak 1s -D gleaner.torture.gc=abc | gleaner.torture.gc = \"abc\": must be off",
        "collectors --format xml | --format",
      })
  void aWrongRequestSaysWhatWouldBeRight(String arguments, String message) {
    Result result = Result.of(arguments.split(" "));
    assertThat(result.err()).startsWith("gleaner: ").contains(message);
    assertThat(result.out()).isEmpty();
    assertThat(result.status()).isEqualTo(2);
  }

  @Test
  void noControlCharacterOfOthersReachesTheTerminal() throws IOException {
    Path scenario = Files.writeString(folder.resolve("odd.heap"), "\u001b[31m \u009b \u202e\n");
    for (Result result :
        List.of(
            Result.of("compar\u001b[2J"),
            Result.of("compare", "--workload", "churn:n=\u001b[2J"),
            Result.of("compare", "-D", "gleaner.\"\u001b]0;a\u0007\" = 1"),
            Result.of("compare", "--config", "\u202e.conf"),
            Result.of("compare", "--collector", "\u001b[2J"),
            Result.of("inspect", folder.resolve("\u001b[2J.hprof").toString()),
            Result.of("replay", folder.resolve("\u001b[2J.trace").toString()),
            Result.of("run", scenario.toString()))) {
      assertThat(result.out() + result.err())
          .contains("\\u")
          .doesNotContainPattern("[\\p{Cntrl}\\p{Cf}&&[^\\n\\t]]|[\\x80-\\x9f]");
    }
  }

  @Test
  void aCommandIsNeeded() {
    Result result = Result.of();
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.err()).contains("there are bench, collectors, compare");
  }

  @Test
  void helpsAndSaysItsVersion() {
    assertThat(Result.of("--help").out()).contains("Usage: gleaner", "compare", "collectors");
    assertThat(Result.of("compare", "--help").out())
        .contains("--heap-dump", "--baseline", "Workloads:", "churn:slots=1_000_000,n=20_000_000");
    assertThat(Result.of("--version").out()).startsWith("gleaner ");
    assertThat(Result.of("compar", "--help").err()).contains("\"compar\": no such command");
  }

  @Test
  void listsCollectors() throws IOException {
    Result table = Result.of("collectors");
    assertThat(table.status()).isZero();
    assertThat(table.err()).isEmpty();
    assertThat(table.out()).contains("marksweep", "cycles");
    JsonNode json = new ObjectMapper().readTree(Result.of("collectors", "--format", "json").out());
    assertThat(json.at("/collectors").findValuesAsText("collector")).contains("marksweep");
    assertThat(Result.of("collectors", "--format", "csv").out())
        .startsWith("collector,version,location,capabilities,description\n");
  }

  @Test
  void comparesWithPlainJavaObjects() throws IOException {
    Result result =
        Result.of(
            "compare",
            "--collector=marksweep",
            "--workload=binary-trees:depth=8",
            "--baseline=jvm",
            "--max-memory=64m",
            "--runs=1",
            "--report=" + folder.resolve("r.html"),
            "--format=json");
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    JsonNode json = new ObjectMapper().readTree(result.out());
    assertThat(json.at("/workload/parameters/depth").intValue()).isEqualTo(8);
    assertThat(json.at("/results").findValuesAsText("collector")).contains("marksweep", "jvm");
    assertThat(json.at("/results/0/settings/gleaner/memory/max").textValue()).isEqualTo("64m");
    assertThat(json.at("/results/1/settings/jvm").toString()).contains("-Xmx64m");
    assertThat(json.at("/results/2/collector").textValue())
        .as("held to what the collector needed")
        .isEqualTo("jvm 2m");
    assertThat(json.at("/results/2/settings/jvm").toString()).contains("-Xms2m", "-Xmx2m");
    assertThat(json.at("/results/2/runs/0/status").textValue()).isIn("ok", "out-of-memory");
    assertThat(folder.resolve("r.html"))
        .content()
        .contains(
            "<h1>binary-trees under marksweep, jvm and jvm 2m</h1>",
            "marksweep peaked at",
            "gleaner.memory.max = &quot;64m&quot;  # --max-memory; default &quot;1GiB&quot;");
    assertThat(json.at("/results/0/runs/0/checksum"))
        .isEqualTo(json.at("/results/1/runs/0/checksum"));
  }

  @Test
  void aRunThatFailsIsARowAndAStatus() {
    Result result =
        Result.of(
            "compare",
            "--collector=marksweep",
            "--workload=binary-trees:depth=14",
            "--max-memory=64k",
            "--runs=1",
            "--report=" + folder.resolve("r.html"));
    assertThat(result.status()).isEqualTo(1);
    assertThat(folder.resolve("r.html")).content().contains("out-of-memory (1 of 1)");
    assertThat(result.out()).contains("marksweep *", "* marksweep: out-of-memory (1 of 1 runs)");
  }

  @Test
  @Tag("exhaustive")
  void aLeakIsAFigureUnlessAskedOtherwise() {
    String[] request = {
      "compare",
      "--collector=refcount",
      "--workload=cycles:n=1000",
      "--runs=1",
      "--report=" + folder.resolve("r.html")
    };
    Result result = Result.of(request);
    assertThat(result.out()).contains("* refcount: leaked (1 of 1 runs)");
    assertThat(result.err().lines()).hasSize(1).allMatch(l -> l.startsWith("refcount: heap "));
    assertThat(result.status()).isZero();
    String[] strict = Arrays.copyOf(request, request.length + 1);
    strict[request.length] = "--fail-if=left > 0";
    result = Result.of(strict);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("--fail-if left > 0: refcount on cycles:n=1000: 2000");
  }

  @Test
  void knowsTheTerminalsWidth() {
    assertThat(Terminal.columns("80")).isEqualTo(80);
    assertThat(Terminal.columns("3")).isEqualTo(40);
    assertThat(Terminal.columns("999")).isEqualTo(120);
    assertThat(Terminal.columns("")).isEqualTo(120);
    assertThat(Terminal.columns(null)).isEqualTo(120);
  }

  @Test
  void theUsualReportKeepsAnEarlierOne() throws IOException {
    Path usual = folder.resolve("report.html");
    ReportFile.of(null, usual).write(() -> "one");
    ReportFile.of(null, usual).write(() -> "two");
    assertThat(usual).hasContent("two");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(f -> !f.equals(usual)))
          .hasSize(1)
          .allMatch(f -> f.toString().matches(".*report-[0-9]{8}-[0-9]{6}.html"))
          .allSatisfy(f -> assertThat(f).hasContent("one"));
    }
  }
}
