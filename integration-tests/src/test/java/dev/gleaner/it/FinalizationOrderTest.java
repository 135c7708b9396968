package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Scenarios;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Scenarios that tell finalizers of hybrid that run inline from those that wait. The tests of its
 * module do without the kit, so that the build need not wait for the kit's.
 */
@Tag("D29")
class FinalizationOrderTest {
  private static ScenarioResult run(String finalization, String name, String text) {
    return new ScenarioRunner(
            ConfigFactory.parseString(
                "gleaner { collector = hybrid, collectors.hybrid.finalization = "
                    + finalization
                    + " }"),
            List.of())
        .run(Scenario.parse(name, text));
  }

  /** The same program with two answers; each is right under one of the settings. */
  @Test
  @Tag("D13")
  void amongWhatADropFreesOrAfterIt() throws IOException {
    String after = "counting/finalizers-after-the-cascade.heap";
    assertThat(run("deferred", after, Scenarios.text(after)).status()).isEqualTo(Status.PASSED);
    ScenarioResult other = run("inline", after, Scenarios.text(after));
    assertThat(other.message()).contains("expected alive 1");
    String among = "finalizer-from-the-refzero-list.heap";
    try (InputStream in = FinalizationOrderTest.class.getResourceAsStream(among)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      ScenarioResult result = run("deferred", among, text); // it sets inline by itself
      assertThat(result.status()).as("%s", result.message()).isEqualTo(Status.PASSED);
      ScenarioResult deferred =
          run("deferred", among, text.replace("finalization = inline", "finalization = deferred"));
      assertThat(deferred.message()).contains("expected alive >= 1000");
    }
  }
}
