package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerProcessTest {
  private static WorkerProcess.Outcome run(
      String workload, List<String> flags, List<Double> progress) {
    WorkerRequest request =
        new WorkerRequest(
            "marksweep",
            workload,
            Map.of("depth", "8"),
            2,
            1,
            new Settings(null, List.of(), null, List.of()),
            null);
    try (WorkerProcess worker = new WorkerProcess(request, flags)) {
      while (worker.go(progress::add)) {
        progress.add(1.0);
      }
      return worker.end();
    }
  }

  @Test
  void reportsRunsAndProgressAndNothingElse() {
    List<Double> progress = new ArrayList<>();
    WorkerProcess.Outcome outcome =
        run("binary-trees", JvmFlags.forCollector(0, List.of()), progress);
    assertThat(outcome.errors()).isEmpty();
    assertThat(outcome.runs()).hasSize(2).allMatch(RunResult::ok);
    assertThat(outcome.runs().get(0).checksum()).isEqualTo(outcome.runs().get(1).checksum());
    assertThat(progress.stream().filter(done -> done == 1.0)).hasSize(3);
    assertThat(progress).allMatch(done -> done > 0 && done <= 1).hasSizeGreaterThan(6);
  }

  @Test
  void aWorkerThatDoesNotStartIsAFailedRun() {
    WorkerProcess.Outcome outcome = run("binary-trees", List.of("-XX:NoSuchFlag"), List.of());
    assertThat(outcome.runs()).containsExactly(RunResult.failed("the worker ended with status 1"));
    assertThat(outcome.errors()).contains("NoSuchFlag");
  }

  @Test
  void aWorkerThatBreaksOffSaysWhy() {
    WorkerProcess.Outcome outcome = run("none", JvmFlags.forCollector(0, List.of()), List.of());
    assertThat(outcome.runs()).hasSize(1).noneMatch(RunResult::ok);
    assertThat(outcome.errors()).contains("\"none\": no such workload");
  }
}
