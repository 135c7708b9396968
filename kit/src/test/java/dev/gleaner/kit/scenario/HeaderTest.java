package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.settings.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom a scenario is for, and under which settings. */
class HeaderTest {
  @TempDir private Path folder;

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
  void aParameterStandsWhereverANumberMay() throws IOException {
    Path file = folder.resolve("n.heap");
    String text =
        """
        parameter n 3
        parameter size 1KiB
        buffer b $size
        set k 0
        repeat $n {
          add k $n
        }
        set o $n
        set o -$n
        expect o == -$n
        expect k == %d
        expect used >= $size
        """;
    Scenarios.passes(text.formatted(9));
    Files.writeString(file, text.formatted(25));
    assertThat(Scenarios.RUNNER.run(Scenario.read(file, Map.of("n", 5L))).status())
        .isEqualTo(Status.PASSED);
    assertThat(Scenarios.RUNNER.run(Scenario.read(file)).message())
        .isEqualTo("expected k == 25, found 9");
    assertThatThrownBy(() -> Scenario.read(file, Map.of("m", 5L)))
        .hasMessageEndingWith(
            "n.heap:1:1: read no parameter 'm', expected a line 'parameter m N' before the first"
                + " statement");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "repeat $n {;} | 1:8: read '$n', expected a line 'parameter n N' before the first"
            + " statement",
        "parameter n 1;parameter n 2 | 2:11: read 'n', expected another name: there is a parameter"
            + " n",
        "parameter n x | 1:13: read 'x', expected its value",
        "parameter n 1 2 | 1:15: read '2', expected the end of the line",
        "parameter N 1 | 1:11: read 'N', expected a name",
        "parameter n $n | 1:13: read '$n', expected a line 'parameter n N' before",
        "parameter n 9;record a 0;set a.$n 1;set $n 1 | 4:5: read '$n', expected a place",
        "record a 0;parameter n 1 | 2:1: read 'parameter', expected a statement: 'parameter'"
            + " stands",
        "parameter n 9_000_000_000;record a $n | 2:10: read '$n', expected a number of reference",
        "record a $ | 1:10: read '$', expected a number of reference slots",
      })
  void aWrongParameterIsAnError(String text, String message) {
    assertThatThrownBy(() -> Scenario.parse("p.heap", text.replace(';', '\n')))
        .isInstanceOf(ScenarioSyntaxException.class)
        .hasMessageStartingWith("p.heap:" + message);
  }

  @Test
  void aCollectorWithoutMinorCollectionsDoesAFullOne() {
    Scenarios.passes(
        """
        config { voluntary.enabled = false }
        set peak 7
        expect peak == 7
        mark used
        buffer b 40_000
        drop b
        collect minor
        expect collections == 1
        expect collections minor == 0
        expect used <= mark + 0
        expect peak >= mark + 40_000
        expect alive 0
        """);
    assertThatThrownBy(() -> Scenario.parse("p.heap", "collect minor emergency"))
        .hasMessage("p.heap:1:15: read 'emergency', expected the end of the line");
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
