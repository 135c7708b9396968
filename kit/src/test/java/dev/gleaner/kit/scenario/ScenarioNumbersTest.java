package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of scenarios, among them those that are out of all bounds. */
class ScenarioNumbersTest {
  private static ScenarioResult run(String text) {
    ScenarioRunner runner =
        new ScenarioRunner(ConfigFactory.parseString("gleaner.collector = marksweep"), List.of());
    return runner.run(Scenario.parse("numbers.heap", text));
  }

  @Test
  void nanIsAValue() {
    ScenarioResult result = run("set a NaN\nset b a\nexpect b == NaN\nexpect a != 1.5\n");
    assertThat(result.message()).isEmpty();
    assertThat(result.status()).isEqualTo(Status.PASSED);
    assertThat(run("set a NaN\nexpect a == 1\n").message()).contains("NaN");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set a 1e99999999999GiB",
        "set a 1e999999999",
        "record a 1e99999999999",
        "record a 99999999999999999999999GiB",
        "buffer b 9223372036854775807GiB",
        "repeat 1e5GiB {\n}",
        "expect alive 99999999999999999999",
        "walk NaN"
      })
  void whatIsNoNumberIsRefused(String statement) {
    assertThatThrownBy(() -> run(statement)).isInstanceOf(ScenarioSyntaxException.class);
  }

  @Test
  void manyDigitsAreReadOrRefused() {
    String digits = "9".repeat(60_000);
    assertThatThrownBy(() -> run("record a " + digits))
        .isInstanceOf(ScenarioSyntaxException.class)
        .hasMessageContaining("at most 2147483647");
    assertThatThrownBy(() -> run("set a " + digits + "KiB"))
        .isInstanceOf(ScenarioSyntaxException.class);
    assertThat(run("set a 0.5\nset a " + "9".repeat(30)).status()).isEqualTo(Status.PASSED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "frame {\n tail\n}",
        "mark used\nexpect used <= mark +9223372036854775807",
        "mark used\nexpect used >= mark -9223372036854775807",
        "expect alive <= 9_223_372_036_854_775_807"
      })
  void theLargestNumbersHold(String statement) {
    ScenarioResult result = run(statement + "\n");
    assertThat(result.message()).isEmpty();
    assertThat(result.status()).isEqualTo(Status.PASSED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "frame slots 9223372036854775807 {\n}",
        "buffer b 9223372036854775807",
        "buffer b 9223372036854775800",
        "alloc b 9223372036854775807",
        "record a 2147483647",
        "object a\nset a[2147483647] 1\nlength a 2147483647\nset a[2147483646] 1"
      })
  void theLargestSizesEndInARefusalOrARun(String statement) {
    try {
      assertThat(run(statement + "\n").message()).doesNotContain("Exception");
    } catch (ScenarioSyntaxException e) {
      assertThat(e).hasMessageContaining("numbers.heap:1:");
    }
  }
}
