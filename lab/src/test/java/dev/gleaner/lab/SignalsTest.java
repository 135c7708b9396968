package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal in the midst of a command: no file by half, no worker that goes on, no trial lost. */
@DisabledOnOs(OS.WINDOWS)
@Tag("exhaustive")
class SignalsTest {
  private static final Pattern KEY = Pattern.compile("\\{\"trial\":\"(.*?)\",\"runs\"");

  @TempDir private Path folder;

  private Forked start(String arguments) throws IOException {
    return Forked.start(
        folder, Redirect.DISCARD, Forked.command(List.of(), Main.class, arguments.split(" ")));
  }

  /** Something that comes to hold while the other process works. */
  @FunctionalInterface
  private interface State {
    boolean holds() throws IOException;
  }

  private static void await(Forked gleaner, State state) throws Exception {
    while (!state.holds()) {
      assertThat(gleaner.process.isAlive()).as("%s", gleaner.err()).isTrue();
      Thread.sleep(5);
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(each -> each.getFileName().toString()).toList();
    }
  }

  private boolean partIsBegun() throws IOException {
    for (String file : files()) {
      if (file.endsWith(".part") && folder.resolve(file).toFile().length() > 0) {
        return true;
      }
    }
    return false;
  }

  /** SIGKILL leaves the part; nothing else may be left. */
  private void expectNoHalfFile(String signal) throws IOException {
    assertThat(files()).allMatch(file -> signal.equals("KILL") && file.endsWith(".part"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void aRecordingLeavesNoHalfTrace(String signal) throws Exception {
    try (Forked gleaner = start("record churn:n=1_000_000_000 -o my.trace")) {
      await(gleaner, this::partIsBegun);
      gleaner.signal(signal);
      assertThat(gleaner.status()).isNotZero();
    }
    expectNoHalfFile(signal);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "KILL"})
  void aSnapshotIsWholeOrNotThere(String signal) throws Exception {
    try (Forked gleaner = start("snapshot graph:n=2_000_000 -o my.hprof")) {
      await(gleaner, this::partIsBegun);
      gleaner.signal(signal);
      int _ = gleaner.status();
    }
    if (files().contains("my.hprof")) { // it was faster than the signal
      Result result = Result.of("inspect", folder.resolve("my.hprof").toString());
      assertThat(result.status()).as(result.err()).isZero();
    } else {
      expectNoHalfFile(signal);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void aComparisonLeavesNoWorker(String signal) throws Exception {
    List<ProcessHandle> workers;
    try (Forked gleaner =
        start("compare --workload churn:n=1_000_000_000 --collector marksweep --report r.html")) {
      await(gleaner, () -> gleaner.process.descendants().findAny().isPresent());
      workers = gleaner.process.descendants().toList();
      gleaner.signal(signal);
      assertThat(gleaner.status()).isNotZero();
    }
    expectToEnd(workers);
    assertThat(files()).isEmpty();
  }

  private static void expectToEnd(List<ProcessHandle> workers) throws Exception {
    for (ProcessHandle worker : workers) {
      assertThat(worker.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void aSweepGoesOnWhereItWas(String signal) throws Exception {
    Path journal = folder.resolve("t.jsonl");
    String[] tune =
        ("tune --workload binary-trees:depth=10 --collector marksweep --runs 1 --quiet"
                + " --mult 1,10,100 --add 1024 --journal "
                + journal
                + " --report "
                + folder.resolve("t.html"))
            .split(" ");
    List<ProcessHandle> workers;
    try (Forked gleaner = start(String.join(" ", tune))) {
      await(gleaner, () -> Files.exists(journal) && Files.readString(journal).endsWith("\n"));
      await(gleaner, () -> gleaner.process.descendants().findAny().isPresent());
      workers = gleaner.process.descendants().toList();
      gleaner.signal(signal);
      assertThat(gleaner.status()).isNotZero();
    }
    expectToEnd(workers);
    List<String> kept = lines(journal);
    assertThat(kept).hasSizeBetween(1, 3);

    String resumed = expectTable(tune);
    List<String> all = lines(journal);
    assertThat(all).startsWith(kept.toArray(String[]::new));
    List<String> swept = all.stream().filter(line -> !line.contains("\"final among")).toList();
    assertThat(swept).hasSize(4);
    assertThat(new HashSet<>(all.stream().map(SignalsTest::key).toList())).hasSize(all.size());
    assertThat(expectTable(tune)).as("nothing is done again").isEqualTo(resumed);
    assertThat(lines(journal)).isEqualTo(all);
  }

  private static List<String> lines(Path journal) throws IOException {
    List<String> lines = Files.readAllLines(journal);
    assertThat(lines).noneMatch(line -> line.contains("worker ended"));
    return lines.stream().filter(line -> line.endsWith("]]}")).toList();
  }

  private static String key(String line) {
    return KEY.matcher(line).results().findFirst().orElseThrow().group(1);
  }

  private static String expectTable(String... tune) {
    Result result = Result.of(tune);
    assertThat(result.status()).as(result.err()).isZero();
    return result.out();
  }
}
