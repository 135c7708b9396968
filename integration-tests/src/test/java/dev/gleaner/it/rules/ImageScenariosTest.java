package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.it.Installed;
import dev.gleaner.kit.Scenarios;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit's scenarios that save and open go on under every other collector. */
@Tag("seeds")
class ImageScenariosTest {
  static List<Arguments> pairs() {
    List<String> collectors = Installed.collectors();
    List<Arguments> all = new ArrayList<>();
    for (int first = 0; first < collectors.size(); first++) {
      for (int second = 0; second < collectors.size(); second++) {
        if (first != second && Tier.has(first + 1, second, collectors.size())) {
          all.add(Arguments.of(collectors.get(first), collectors.get(second)));
        }
      }
    }
    return all;
  }

  private static Config config(String collector) {
    return ConfigFactory.parseString("gleaner.collector = " + collector);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void goOnUnderAnotherCollector(String first, String second) {
    ScenarioRunner runner =
        new ScenarioRunner(config(first), List.of()).openingUnder(config(second));
    int passed = 0;
    for (String name : Scenarios.names()) {
      if (name.startsWith("images/")) {
        Scenario scenario = Scenario.parse(name, Scenarios.text(name));
        ScenarioResult result = runner.run(scenario);
        assertThat(result.status()).as(result.toString()).isNotEqualTo(Verdict.Status.FAILED);
        passed += result.status() == Verdict.Status.PASSED ? 1 : 0;
        if (Tier.exhaustive()) {
          result = runner.withTorture().run(scenario);
          assertThat(result.status()).as(result.toString()).isNotEqualTo(Verdict.Status.FAILED);
        }
      }
    }
    assertThat(passed).isGreaterThan(10);
  }
}
