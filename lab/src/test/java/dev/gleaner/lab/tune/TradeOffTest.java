package dev.gleaner.lab.tune;

import static dev.gleaner.lab.tune.Trials.trial;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.RunResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TradeOffTest {
  private static final Trial SMALL = trial(1, 9.0, 100, 0.001);
  private static final Trial MIDDLE = trial(2, 4.0, 200, 0.005);
  private static final Trial BEATEN = trial(3, 5.0, 300, 0.004);
  private static final Trial ALMOST_AS_FAST = trial(4, 2.02, 500, 0.010);
  private static final Trial FAST = trial(5, 2.0, 900, 0.020);
  private static final Trial FAILED =
      new Trial(Trials.tuning(6), List.of(RunResult.failed("no reason")));
  private static final List<Trial> ALL =
      List.of(FAST, FAILED, SMALL, BEATEN, MIDDLE, ALMOST_AS_FAST);

  private static TradeOff within(@Nullable Long peak, @Nullable Double pause) {
    return TradeOff.of(ALL, new TradeOff.Limits(peak, pause));
  }

  @Test
  void theFrontHasWhatNoOtherBeatsInBoth() {
    assertThat(TradeOff.of(ALL, TradeOff.Limits.NONE).front())
        .containsExactly(SMALL, MIDDLE, ALMOST_AS_FAST, FAST);
  }

  @Test
  void withoutALimitTheLeastProductIsRecommended() {
    assertThat(TradeOff.of(ALL, TradeOff.Limits.NONE).recommended()).isEqualTo(MIDDLE);
  }

  @Test
  void aLimitOnMemoryLeavesTheFastestWithinIt() {
    assertThat(within(400L, null).recommended()).isEqualTo(MIDDLE);
    assertThat(within(200L, null).recommended()).isEqualTo(MIDDLE);
    assertThat(within(199L, null).recommended()).isEqualTo(SMALL);
    assertThat(within(99L, null).recommended()).isNull();
  }

  @Test
  void whatDiffersByNoMoreThanNoiseIsDecidedByMemory() {
    assertThat(within(1000L, null).recommended()).isEqualTo(ALMOST_AS_FAST);
  }

  @Test
  void aLimitOnPausesCountsTheLongestOfAllRuns() {
    assertThat(within(null, 0.005).recommended()).isEqualTo(MIDDLE);
    Trial second =
        new Trial(Trials.tuning(7), List.of(Trials.run(1, 10, 0.001), Trials.run(1, 10, 0.006)));
    assertThat(TradeOff.of(List.of(second), new TradeOff.Limits(null, 0.005)).recommended())
        .isNull();
    assertThat(TradeOff.of(List.of(second), new TradeOff.Limits(null, 0.006)).recommended())
        .isEqualTo(second);
  }

  @Test
  void bothLimitsHold() {
    assertThat(within(150L, 0.004).recommended()).isEqualTo(SMALL);
    assertThat(within(400L, 0.004).recommended()).isEqualTo(BEATEN);
    assertThat(within(99L, 0.004).recommended()).isNull();
  }

  @Test
  void nothingComesOfFailures() {
    TradeOff none = TradeOff.of(List.of(FAILED), TradeOff.Limits.NONE);
    assertThat(none.front()).isEmpty();
    assertThat(none.recommended()).isNull();
  }
}
