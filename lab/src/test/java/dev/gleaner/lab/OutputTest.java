package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be written is told in a line, and nothing is left by half. */
@EnabledOnOs(OS.LINUX)
@Tag("exhaustive")
class OutputTest {
  private static final String SMALL =
      " --workload binary-trees:depth=4 --collector marksweep --runs 1 --quiet";

  /** Kilobytes that a process may write to a file. */
  private static final String LIMIT = "2";

  @TempDir private Path folder;

  private Forked start(Redirect out, String arguments) throws IOException {
    return Forked.start(folder, out, Forked.command(List.of(), Main.class, arguments.split(" ")));
  }

  private Forked startOnFullDisk(String arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("bash", "-c", "ulimit -f " + LIMIT + "; exec \"$@\"", "with-a-limit"));
    command.addAll(Forked.command(List.of(), Main.class, arguments.split(" ")));
    return Forked.start(folder, Redirect.DISCARD, command);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(each -> each.getFileName().toString()).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "collectors --format json", "compare --format csv" + SMALL})
  void aFullDeviceIsAFailure(String arguments) throws Exception {
    try (Forked gleaner = start(Redirect.to(new File("/dev/full")), arguments)) {
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err())
          .containsExactly(
              "gleaner: the standard output cannot be written: No space left on device");
    }
  }

  @Test
  void aClosedPipeIsAFailure() throws Exception {
    try (Forked gleaner = start(Redirect.PIPE, "completion bash")) {
      gleaner.process.getInputStream().close();
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err())
          .containsExactly("gleaner: the standard output cannot be written: Broken pipe");
    }
  }

  @Test
  void aSnapshotIsWholeOrNotThere() throws Exception {
    Files.writeString(folder.resolve("s.hprof"), "of before");
    try (Forked gleaner = startOnFullDisk("snapshot binary-trees:depth=8 -o s.hprof")) {
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err()).containsExactly("gleaner: -o s.hprof: File too large");
    }
    assertThat(folder.resolve("s.hprof")).hasContent("of before");
    assertThat(files()).containsExactly("s.hprof");
  }

  @Test
  void aTraceIsWholeOrNotThere() throws Exception {
    try (Forked gleaner = startOnFullDisk("record binary-trees:depth=8 -o s.trace")) {
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err())
          .containsExactly(
              "no trace: s.trace cannot be written: File too large",
              "gleaner: -o s.trace: no trace was written");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aReportIsWholeOrNotThere() throws Exception {
    try (Forked gleaner = startOnFullDisk("compare --report r.html" + SMALL)) {
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err())
          .containsExactly("gleaner: --report r.html: it cannot be written: File too large");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aTrialThatCannotBeKeptIsAFailure() throws Exception {
    Files.writeString(folder.resolve("t.jsonl"), "x".repeat(2000) + "\n");
    String tune = "tune --mult 1 --add 1024 --journal t.jsonl --report t.html" + SMALL;
    try (Forked gleaner = startOnFullDisk(tune)) {
      assertThat(gleaner.status()).isEqualTo(1);
      assertThat(gleaner.err()).last().isEqualTo("gleaner: --journal t.jsonl: File too large");
    }
    try (Forked gleaner = start(Redirect.DISCARD, tune)) {
      assertThat(gleaner.status()).isZero();
      assertThat(gleaner.err())
          .containsExactly("gleaner: t.jsonl: 2 lines are no trials, so those are done again");
    }
  }
}
