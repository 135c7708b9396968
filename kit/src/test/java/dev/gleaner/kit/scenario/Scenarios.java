package dev.gleaner.kit.scenario;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs scenarios given as text. */
final class Scenarios {
  static final ScenarioRunner RUNNER =
      new ScenarioRunner(
          ConfigFactory.parseString("gleaner { collector = marksweep, verify = after-collection }"),
          List.of());

  private Scenarios() {}

  /** A scenario with every statement and every expectation. */
  static String everything() {
    try (InputStream in = Scenarios.class.getResourceAsStream("everything.heap")) {
      return new String(requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

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
