package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.testing.Tier;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that pass, written as scenarios with all that must hold at their end, pass as well. */
class WrittenProgramTest {
  private static final int PROGRAMS = Tier.number("gleaner.test.programs", 3, 10);

  private final Heaps heaps = new Heaps("marksweep", ConfigFactory.empty(), List.of());
  private final Reproduction reproduction = new Reproduction(heaps);
  private final Config config = ConfigFactory.parseString("gleaner.collector = marksweep");
  private final ScenarioRunner runner = new ScenarioRunner(config, List.of());

  @ParameterizedTest
  @EnumSource
  @Tag("seeds")
  void passesWithItsCollectionsAsStatements(Variant variant) {
    passes(variant, Mode.SCRIPTED);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void passesUnderTorture(Variant variant) {
    passes(variant, Mode.TORTURED);
  }

  private void passes(Variant variant, Mode mode) {
    for (int i = 0; i < PROGRAMS; i++) {
      Plan plan = Plan.brief(variant, mode, Dice.mix(Dice.seed(), i));
      RandomProgram.Outcome outcome = RandomProgram.write(heaps, plan, Steps.all());
      assertThat(outcome.failure()).as("%s", plan).isNull();

      String text = reproduction.scenario(outcome);
      assertThat(runner.run(Scenario.parse("written.heap", text)))
          .as("%s%n%s", plan, text)
          .returns(Status.PASSED, ScenarioResult::status);
    }
  }
}
