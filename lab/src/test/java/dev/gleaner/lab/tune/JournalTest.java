package dev.gleaner.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final List<RunResult> RUNS =
      List.of(Trials.run(1.5, 1024, 0.25), RunResult.failed("\"quoted\", and more"));

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("journal.jsonl");
  }

  @Test
  void whatWasAddedIsReadAgain() throws IOException {
    Journal journal = Journal.read(file());
    assertThat(journal.runs("a", "m")).isNull();
    journal.add("a", "m", RUNS);
    journal.add("b \"{", "m", RUNS.subList(0, 1));
    assertThat(journal.runs("a", "m")).isEqualTo(RUNS);
    Journal again = Journal.read(file());
    assertThat(again.runs("a", "m")).isEqualTo(RUNS);
    assertThat(again.runs("b \"{", "m")).isEqualTo(RUNS.subList(0, 1));
    assertThat(again.unreadable()).isZero();
  }

  @Test
  void aLineThatWasCutOffCostsThatTrialAlone() throws IOException {
    Journal journal = Journal.read(file());
    journal.add("a", "m", RUNS);
    journal.add("b", "m", RUNS);
    String text = Files.readString(file());
    for (int length = text.indexOf('\n') + 1; length < text.length() - 1; length++) {
      Files.writeString(file(), text.substring(0, length));
      Journal cut = Journal.read(file());
      assertThat(cut.runs("a", "m")).isEqualTo(RUNS);
      assertThat(cut.runs("b", "m")).isNull();
      cut.add("c", "m", RUNS);
      assertThat(Journal.read(file()).runs("c", "m")).isEqualTo(RUNS);
    }
  }

  @Test
  void linesThatAreNoTrialsAreCounted() throws IOException {
    Files.writeString(
        file(),
        """
        no json
        {"trial": "x", "runs": []}
        {"trial": "x", "runs": [["no field"]]}
        {"trial": "x", "runs": [["seconds=many"]]}
        {"trial": "x", "runs": [["nonsense=1"]]}
        [1, 2]
        """);
    Journal journal = Journal.read(file());
    assertThat(journal.unreadable()).isEqualTo(6);
    assertThat(journal.runs("x", "m")).isNull();
  }

  @Test
  void anEmptyOneKeepsTheFile() throws IOException {
    Journal.read(file()).add("a", "m", RUNS);
    Journal empty = Journal.empty(file());
    assertThat(empty.runs("a", "m")).isNull();
    empty.add("b", "m", RUNS);
    assertThat(Journal.read(file()).runs("a", "m")).isEqualTo(RUNS);
  }
}
