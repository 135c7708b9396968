package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.settings.ConfigurationException;
import org.junit.jupiter.api.Test;

/** Whom a scenario is for, and under which settings. */
class HeaderTest {
  @Test
  void settingsOfACollectorThatIsNotInstalledDoNotMatterToOthers() {
    ScenarioResult result =
        Scenarios.run(
            """
            requires moving
            config { collectors.elsewhere.mode = other }
            collect
            """);
    assertThat(result)
        .isEqualTo(new ScenarioResult("test.heap", Status.SKIPPED, 0, "needs moving"));
  }

  @Test
  void settingsThatAreWrongForACollectorTheScenarioIsForAreAnError() {
    String text =
        """
        requires cycles
        config { collectors.elsewhere.mode = other }
        collect
        """;
    assertThatThrownBy(() -> Scenarios.run(text))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("elsewhere");
  }

  @Test
  void aScenarioNeedsNoLocalsOfItsOwn() {
    Scenarios.passes(
        """
        frame {
          record a 0
          finalizer a A
        }
        collect
        expect finalized A
        """);
  }
}
