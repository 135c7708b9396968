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
    assertThat(journal.runs("a")).isNull();
    journal.add("a", RUNS);
    journal.add("b \"{", RUNS.subList(0, 1));
    assertThat(journal.runs("a")).isEqualTo(RUNS);
    Journal again = Journal.read(file());
    assertThat(again.runs("a")).isEqualTo(RUNS);
    assertThat(again.runs("b \"{")).isEqualTo(RUNS.subList(0, 1));
    assertThat(again.unreadable()).isZero();
  }

  @Test
  void aLineThatWasCutOffCostsThatTrialAlone() throws IOException {
    Journal journal = Journal.read(file());
    journal.add("a", RUNS);
    journal.add("b", RUNS);
    String text = Files.readString(file());
    for (int length = text.indexOf('\n') + 1; length < text.length() - 1; length++) {
      Files.writeString(file(), text.substring(0, length));
      Journal cut = Journal.read(file());
      assertThat(cut.runs("a")).isEqualTo(RUNS);
      assertThat(cut.runs("b")).isNull();
      cut.add("c", RUNS);
      assertThat(Journal.read(file()).runs("c")).isEqualTo(RUNS);
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
    assertThat(journal.runs("x")).isNull();
  }

  @Test
  void anEmptyOneKeepsTheFile() throws IOException {
    Journal.read(file()).add("a", RUNS);
    Journal empty = Journal.empty(file());
    assertThat(empty.runs("a")).isNull();
    empty.add("b", RUNS);
    assertThat(Journal.read(file()).runs("a")).isEqualTo(RUNS);
  }
}
