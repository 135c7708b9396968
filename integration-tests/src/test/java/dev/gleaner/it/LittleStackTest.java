package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Interpreted, so that each level of calls takes the same of the Java stack in each run. */
class LittleStackTest {
  /** The KiB that are left: what breaks in one place with little is refused earlier with less. */
  private static final List<String> LEFT = List.of("10", "11", "13");

  static List<String> collectors() {
    return Installed.share(1);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void firstUseLinksNothingInTheMidstOfAChange(String collector) throws Exception {
    for (String left : LEFT) {
      ForkedJvm.Result result =
          ForkedJvm.run(
              List.of("-Xint", ForkedJvm.NATIVE_ACCESS), LittleStack.class, collector, left);
      assertThat(result.exit()).as("%s", result.err()).isZero();
      assertThat(result.out()).as("%s KiB", left).isEmpty();
    }
  }
}
