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

  private String result(String name, String workload) throws IOException {
    Result compared =
        Result.of(
            "compare",
            "--workload=" + workload,
            "--collector=marksweep",
            "--runs=4",
            "--format=json",
            "--quiet",
            "--report=" + folder.resolve("r.html"));
    assertThat(compared.status()).as(compared.err()).isZero();
    return Files.writeString(folder.resolve(name), compared.out()).toString();
  }

  @Test
  void comparesTwoResults() throws IOException {
    String before = result("before.json", "binary-trees:depth=4");
    Result same = Result.of("diff", before, before, "--fail-if-worse");
    assertThat(same.status()).as(same.err()).isZero();
    assertThat(same.out())
        .startsWith("binary-trees:depth=4")
        .contains("marksweep", "No difference is beyond the noise.");
    String slower =
        Files.readString(Path.of(before)).replaceAll("\"seconds\" : [0-9.E-]+", "\"seconds\" : 99");
    String after = Files.writeString(folder.resolve("after.json"), slower).toString();
    Result worse = Result.of("diff", before, after);
    assertThat(worse.status()).as(worse.err()).isZero();
    assertThat(worse.out()).containsPattern("marksweep takes [0-9.]+ times as long");
    assertThat(Result.of("diff", before, after, "--fail-if-worse").status()).isEqualTo(1);
    String other = result("other.json", "tail:n=1000");
    Result none = Result.of("diff", before, other);
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).contains("no workload is in both");
  }

  @Test
  void saysWhatIsNoResult() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "{");
    assertThat(Result.of("diff", file.toString(), file.toString()))
        .isEqualTo(new Result(2, "", "gleaner: " + file + ": no JSON: line 1\n"));
  }
}
