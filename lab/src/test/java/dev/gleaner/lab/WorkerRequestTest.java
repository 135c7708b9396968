package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerRequestTest {
  private static WorkerRequest again(WorkerRequest request) {
    return WorkerRequest.ofArguments(request.toArguments().toArray(new String[0]));
  }

  @Test
  void argumentsAreReadAsTheyWereWritten() {
    WorkerRequest full =
        new WorkerRequest(
            "hybrid",
            "churn",
            Map.of("file", "a=b c"),
            3,
            1,
            new Settings(
                Path.of("x y.conf"),
                List.of("gleaner.verify=off", "gleaner.collectors.x.y=\"a=b\""),
                "512m",
                List.of(Path.of("p.jar"), Path.of("q"))),
            Path.of("gc.log"));
    assertThat(again(full)).isEqualTo(full);
  }

  @Test
  void whatIsNotGivenStaysOut() {
    WorkerRequest least =
        new WorkerRequest(
            WorkerRequest.JVM,
            "gcbench",
            Map.of(),
            1,
            0,
            new Settings(null, List.of(), null, List.of()),
            null);
    assertThat(again(least)).isEqualTo(least);
  }
}
