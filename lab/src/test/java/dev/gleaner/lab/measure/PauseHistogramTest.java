package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PauseHistogramTest {
  private static PauseHistogram of(long... nanos) {
    Pauses pauses = new Pauses();
    for (long one : nanos) {
      pauses.record(one);
    }
    return pauses.recorded();
  }

  @Test
  void countsBetweenBounds() {
    PauseHistogram pauses = of(1_000, 20_000, 21_000, 5_000_000);
    assertThat(pauses.counts(1e-6, 1e-5, 1e-4, 1e-3)).containsExactly(1, 2, 0);
    assertThat(pauses.counts(1e-3, 1)).containsExactly(1);
    assertThat(pauses.shortestSeconds()).isCloseTo(1e-6, within(1e-9));
    assertThat(pauses.longestSeconds()).isEqualTo(0.005);
    assertThat(pauses.percentileSeconds(50)).isCloseTo(20e-6, within(1e-7));
    assertThat(pauses.percentileSeconds(100)).isEqualTo(0.005);
  }

  @Test
  void doesNotChangeWithWhatItCameFrom() {
    Pauses pauses = new Pauses();
    pauses.record(5);
    PauseHistogram before = pauses.recorded();
    pauses.record(7);
    assertThat(before.count()).isEqualTo(1);
    assertThat(before.plus(pauses.recorded()).count()).isEqualTo(3);
    assertThat(before.count()).isEqualTo(1);
  }

  @Test
  void addsAndTravels() {
    PauseHistogram both = of(1_000, 9_999_999_999L).plus(of(123_456_789));
    assertThat(both).isEqualTo(of(1_000, 9_999_999_999L, 123_456_789)).isNotEqualTo(of(1_000));
    assertThat(PauseHistogram.ofText(both.toText())).isEqualTo(both).hasSameHashCodeAs(both);
    assertThat(PauseHistogram.NONE.plus(both)).isEqualTo(both);
    assertThat(PauseHistogram.NONE.count()).isZero();
    assertThat(PauseHistogram.NONE.shortestSeconds()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5:!", "5:AAAA", "x:"})
  void whatIsNoneIsRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> PauseHistogram.ofText(text));
  }
}
