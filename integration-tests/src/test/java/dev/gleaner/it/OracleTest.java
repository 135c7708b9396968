package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.kit.oracle.Oracle;
import dev.gleaner.testing.Tier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long random programs on a heap and on a plain Java model of it, under every collector; {@link
 * ConformanceTest} runs the short ones, in many settings. {@code -Dgleaner.test.operations=…} makes
 * more of them, {@code -Dgleaner.seed=…} others.
 */
@Tag("seeds")
class OracleTest {
  private static final long OPERATIONS = Tier.number("gleaner.test.operations", 5_000, 100_000);

  static Stream<String> collectors() {
    return Installed.collectors().stream();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void heapAndModelAgreeInTheLongRun(String collector) {
    Verdict verdict = Oracle.of(collector).runLong("PLAIN", Dice.seed(), OPERATIONS);
    assertThat(verdict.status()).as("%s", verdict.message()).isEqualTo(Verdict.Status.PASSED);
  }
}
