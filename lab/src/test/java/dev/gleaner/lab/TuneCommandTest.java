package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneCommandTest {
  @TempDir private Path folder;

  private Result tune(String... arguments) {
    List<String> all = new ArrayList<>(List.of("tune"));
    if (!List.of(arguments).contains("--journal") && !List.of(arguments).contains("--merge")) {
      all.addAll(List.of("--journal", folder.resolve("trials.jsonl").toString()));
    }
    all.addAll(List.of("--report", folder.resolve("tune.html").toString()));
    all.addAll(List.of(arguments));
    return Result.of(all);
  }

  private Result small(String... more) {
    List<String> all = new ArrayList<>(List.of("--collector", "marksweep"));
    all.addAll(List.of("--workload", "binary-trees:depth=8", "--runs", "1"));
    all.addAll(List.of("--final-runs", "0"));
    all.addAll(List.of("--mult", "1,100", "--add", "1024"));
    all.addAll(List.of(more));
    return tune(all.toArray(String[]::new));
  }

  @Test
  @Tag("exhaustive")
  void triesSettingsAndGoesOnWhereItWas() throws IOException {
    Result first = small();
    assertThat(first.err()).isEmpty();
    assertThat(first.status()).isZero();
    assertThat(first.out())
        .contains("marksweep on binary-trees (depth = 8), 3 trials", "Recommended, for the least")
        .contains("collector = marksweep");
    Path journal = folder.resolve("trials.jsonl");
    List<String> lines = Files.readAllLines(journal);
    assertThat(lines).hasSize(3);
    String html = Files.readString(folder.resolve("tune.html"));
    assertThat(html).contains("Settings for marksweep on binary-trees", "<svg", "mult=100");

    Files.write(journal, lines.subList(0, 2)); // as if it was broken off
    assertThat(small().status()).isZero();
    assertThat(Files.readAllLines(journal)).hasSize(3).startsWith(lines.get(0), lines.get(1));

    assertThat(small("-D", "gleaner.collectors.marksweep.mark.recursion-limit=100").status())
        .isZero();
    assertThat(Files.readAllLines(journal)).as("other settings, other trials").hasSize(6);
  }

  @Test
  @Tag("exhaustive")
  void printsJsonThatAnotherProgramCanUse() throws IOException {
    Result result = small("--format", "json", "--max-memory", "1m,64m");
    JsonNode document = new ObjectMapper().readTree(result.out());
    List<String> limits = document.get("trials").findValuesAsText("max_memory");
    assertThat(limits).as("those that do the same included").hasSize(5).contains("1m", "64m");
    assertThat(document.get("trials").get(0).get("runs").get(0).get("status").asText())
        .isEqualTo("ok");
    String hocon = document.get("hocon").asText();
    assertThat(ConfigFactory.parseString(hocon).getString("gleaner.collector"))
        .isEqualTo("marksweep");
  }

  @Test
  @Tag("exhaustive")
  void aLimitThatNothingKeepsIsAFailure() {
    Result result = small("--peak-below", "1k");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).contains("No trial is within the limits: the least peak was");
  }

  @Test
  @Tag("exhaustive")
  void aTrialThatRunsOutOfMemoryIsARow() {
    Result result =
        tune(
            "--collector",
            "marksweep",
            "--workload",
            "binary-trees:depth=14",
            "--runs",
            "1",
            "--final-runs",
            "0",
            "--mult",
            "1",
            "--add",
            "1024",
            "--max-memory",
            "64k");
    assertThat(result.out()).contains("out-of-memory");
    assertThat(result.status()).isZero();
  }

  @Test
  @Tag("exhaustive")
  void finalistsRunAgainInTurnsAndTheFinalIsKept() throws IOException {
    String[] request = {
      "--collector", "marksweep", "--workload", "churn:slots=1000,n=100000", "--runs", "1",
      "--mult", "1,100", "--add", "1024", "--final-runs", "4"
    };
    Result first = tune(request);
    assertThat(first.err()).isEmpty();
    assertThat(first.out()).contains("The finalists again, in turns: 3 runs each");
    int kept = Files.readAllLines(folder.resolve("trials.jsonl")).size();
    assertThat(kept).isGreaterThan(4);
    assertThat(tune(request).out()).isEqualTo(first.out());
    assertThat(Files.readAllLines(folder.resolve("trials.jsonl"))).hasSize(kept);
  }

  @Test
  @Tag("exhaustive")
  void aShardMakesItsFolder() {
    Path shared = folder.resolve("not/there");
    assertThat(small("--shard", "1/2", "--journal", shared.toString()).err()).isEmpty();
    assertThat(shared.resolve("gleaner-tune-1-of-2.jsonl")).isRegularFile();
  }

  @Test
  @Tag("exhaustive")
  void shardsAreMergedAndCountAsOneRunDoes() throws IOException {
    Path shared = Files.createDirectory(folder.resolve("shared"));
    Result early = small("--merge", shared.toString());
    assertThat(early.status()).isEqualTo(1);
    assertThat(early.err()).contains("3 of 3 trials are missing in 0 journals");
    for (String shard : List.of("1/2", "2/2")) {
      Result part = small("--shard", shard, "--journal", shared.toString());
      assertThat(part.err()).isEmpty();
      assertThat(part.status()).isZero();
      assertThat(part.out()).startsWith("shard " + shard + ": ").contains("--merge " + shared);
    }
    Result merged = small("--merge", shared.toString());
    assertThat(merged.err()).isEmpty();
    assertThat(merged.status()).isZero();
    assertThat(merged.out()).contains("3 trials", "Recommended, for the least");

    Files.delete(shared.resolve("gleaner-tune-2-of-2.jsonl"));
    Result cut = small("--merge", shared.toString());
    assertThat(cut.status()).isEqualTo(1);
    assertThat(cut.err()).contains("shard 2/2 has no journal here: run it");
    assertThat(cut.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--collector all | one at a time is tuned",
        "--collector hybird | (hybrid?)",
        "--mult x | --mult",
        "--mult=-1 | mult",
        "--mult 1,1e999999999 | --mult 1E+999999999: a number from 0 on",
        "--mult 1e-999999999 | --mult 1E-999999999: a number from 0 on",
        "--runs 0 | --runs 0: at least 1",
        "--final-runs 2 | --final-runs 2: 0, or at least 4",
        "--shard 5/4 | --shard 5/4: shard 5 of 4: from 1 to 4",
        "--shard 1/2 --merge . | one after the other",
        "--merge nowhere | no such folder",
        "--peak-below much | --peak-below much: a size such as 64m",
        "--peak-below 20Y | --peak-below 20Y: a size such as 64m",
        "--peak-below 1e99999999k | --peak-below 1e99999999k: a size such as 64m",
        "--pause-below 5parsecs | --pause-below",
        "--workload gcbnch | (gcbench?)",
        "--max-memory 1k | memory.max",
      })
  void aWrongRequestSaysWhatWouldBeRight(String arguments, String message) {
    Result result = tune(arguments.split(" "));
    assertThat(result.err()).startsWith("gleaner: ").contains(message);
    assertThat(result.status()).isEqualTo(2);
    assertThat(folder.resolve("trials.jsonl")).doesNotExist();
  }
}
