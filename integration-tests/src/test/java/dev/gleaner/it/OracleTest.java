package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.kit.oracle.Oracle;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random programs on a heap and on a plain Java model of it, under every collector and many
 * settings. {@code -Dgleaner.seed=…} makes other programs, or repeats one; {@code
 * -Dgleaner.test.programs=…} makes more of them.
 */
class OracleTest {
  private static final int PROGRAMS = Integer.getInteger("gleaner.test.programs", 10);
  private static final long OPERATIONS = Long.getLong("gleaner.test.operations", 100_000);

  static Stream<Arguments> variants() {
    return Installed.collectors().stream()
        .flatMap(c -> Oracle.variants().stream().map(v -> Arguments.of(c, v)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("variants")
  void heapAndModelAgree(String collector, String variant) {
    passes(Oracle.of(collector).run(variant, Dice.seed(), PROGRAMS));
  }

  static Stream<String> collectors() {
    return Installed.collectors().stream();
  }

  /** {@code -Dgleaner.test.operations=…} makes more of them. */
  @ParameterizedTest
  @MethodSource("collectors")
  void heapAndModelAgreeInTheLongRun(String collector) {
    passes(Oracle.of(collector).runLong("PLAIN", Dice.seed(), OPERATIONS));
  }

  private static void passes(Verdict verdict) {
    assertThat(verdict.status()).as("%s", verdict.message()).isEqualTo(Verdict.Status.PASSED);
  }
}
