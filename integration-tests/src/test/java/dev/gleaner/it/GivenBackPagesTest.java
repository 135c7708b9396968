package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.memory.Memory;
import dev.gleaner.testing.Tier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory goes back in whole pages of the system, whatever their size, and none that lives with it.
 */
class GivenBackPagesTest {
  static Stream<Arguments> collectorsAndSizes() {
    List<Integer> sizes = Tier.exhaustive() ? List.of(16, 64) : List.of(64);
    return Installed.collectors().stream()
        .flatMap(c -> sizes.stream().map(kib -> Arguments.of(c, kib)));
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSizes")
  @Tag("seeds")
  void whatLivesStaysAndWhatIsUsedAgainIsEmpty(String collector, int kib) {
    assumeTrue(Memory.canReserve());
    assertThat(GivenBackPages.check(collector, kib << 10)).isNull();
  }
}
