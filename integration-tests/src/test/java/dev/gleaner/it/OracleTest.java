package dev.gleaner.it;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random programs on a heap and on a plain Java model of it, under every collector and many
 * settings. {@code -Dgleaner.seed=…} makes other programs, or repeats one.
 */
class OracleTest {
  private static final int PROGRAMS = Integer.getInteger("gleaner.test.programs", 10);

  static Stream<Arguments> variants() {
    return Installed.collectors().stream()
        .flatMap(c -> Stream.of(Variant.values()).map(v -> Arguments.of(c, v)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("variants")
  void heapAndModelAgree(String collector, Variant variant) {
    for (int i = 0; i < PROGRAMS; i++) {
      long seed = Dice.seed() * 1_000_003 + i;
      if (variant.ownFunctions()) {
        RandomProgram.run(collector, variant, seed, d -> new MovingFunctions(d, seed));
      } else {
        RandomProgram.run(collector, variant, seed, null);
      }
    }
  }
}
