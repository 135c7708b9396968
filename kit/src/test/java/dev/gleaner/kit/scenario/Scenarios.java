package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict.Status;
import java.util.List;

/** Runs scenarios given as text. */
final class Scenarios {
  static final ScenarioRunner RUNNER =
      new ScenarioRunner(
          ConfigFactory.parseString("gleaner { collector = marksweep, verify = after-collection }"),
          List.of());

  private Scenarios() {}

  static ScenarioResult run(String text) {
    return RUNNER.run(Scenario.parse("test.heap", text));
  }

  static ScenarioResult torture(String text) {
    return RUNNER.withTorture().run(Scenario.parse("test.heap", text));
  }

  static void passes(String text) {
    assertThat(run(text)).as(text).isEqualTo(new ScenarioResult("test.heap", Status.PASSED, 0, ""));
  }

  static void fails(String text, int line, String message) {
    ScenarioResult result = run(text);
    assertThat(result.message()).as(text).isEqualTo(message);
    assertThat(result.line()).as(text).isEqualTo(line);
    assertThat(result.status()).isEqualTo(Status.FAILED);
  }
}
