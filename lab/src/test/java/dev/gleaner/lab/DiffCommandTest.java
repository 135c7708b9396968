package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gleaner diff}, on results of {@code compare}. */
class DiffCommandTest {
  @TempDir private Path folder;
  private String out = "";
  private String err = "";

  private int gleaner(String... arguments) {
    Result result = Result.of(arguments);
    out = result.out();
    err = result.err();
    return result.status();
  }

  private String result(String name, String workload) throws IOException {
    int status =
        gleaner(
            "compare",
            "--workload=" + workload,
            "--collector=marksweep",
            "--runs=4",
            "--format=json",
            "--quiet",
            "--report=" + folder.resolve("r.html"));
    assertThat(status).as(err).isZero();
    return Files.writeString(folder.resolve(name), out).toString();
  }

  @Test
  void comparesTwoResults() throws IOException {
    String before = result("before.json", "binary-trees:depth=4");
    assertThat(gleaner("diff", before, before, "--fail-if-worse")).as(err).isZero();
    assertThat(out)
        .startsWith("binary-trees:depth=4")
        .contains("marksweep", "No difference is beyond the noise.");
    String slower =
        Files.readString(Path.of(before)).replaceAll("\"seconds\" : [0-9.E-]+", "\"seconds\" : 99");
    String after = Files.writeString(folder.resolve("after.json"), slower).toString();
    assertThat(gleaner("diff", before, after)).as(err).isZero();
    assertThat(out).containsPattern("marksweep takes [0-9.]+ times as long");
    assertThat(gleaner("diff", before, after, "--fail-if-worse")).as(err).isEqualTo(1);
    String other = result("other.json", "tail:n=1000");
    assertThat(gleaner("diff", before, other)).isEqualTo(2);
    assertThat(err).contains("no workload is in both");
  }

  @Test
  void saysWhatIsNoResult() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "{");
    assertThat(gleaner("diff", file.toString(), file.toString())).isEqualTo(2);
    assertThat(err).isEqualTo("gleaner: " + file + ": no JSON: line 1\n");
  }
}
