package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.lab.measure.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionTest {
  private static final Comparison COMPARISON =
      Examples.comparison(
          Examples.row("hybrid", Examples.run("ok", 5L, 2)),
          Examples.row("jvm", Examples.run("ok", 5L, 9)));

  @Test
  void namesCollectorFigureAndValue() {
    Condition condition = Condition.parse(" semispace.pause.p99 > 5ms ");
    assertThat(condition.collector()).isEqualTo("semispace");
    assertThat(condition.figure()).isEqualTo(Figure.PAUSE_SECONDS_P99);
    assertThat(condition.value()).isEqualTo(0.005);
    assertThat(Condition.parse("peak >= 64MiB").value()).isEqualTo(64 << 20);
    assertThat(Condition.parse("left != 1_000").collector()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "time > 1s, true",
    "time > 2s, false",
    "time >= 2s, true",
    "time < 2s, false",
    "time <= 2s, true",
    "hybrid.time == 2s, true",
    "hybrid.time != 2s, false",
    "refcount.time > 0s, false"
  })
  void holdsOrNot(String text, boolean holds) {
    assertThat(Condition.parse(text).met(List.of(COMPARISON))).hasSize(holds ? 1 : 0);
  }

  @Test
  void saysWhatWasFound() {
    assertThat(Condition.parse("time > 1s").met(List.of(COMPARISON)))
        .containsExactly("time > 1s: hybrid on churn:slots=1_000: 2 s");
    assertThat(Condition.parse("jvm.time > 1s").met(List.of(COMPARISON))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "nothing, no condition",
    "time > , no condition",
    "speed > 1s, no figure \"speed\"; there are time",
    "time > 1, needs a unit",
    "time > 1parsec, is no value",
    "left > 3ms, is no value",
    "left > 1e999999999, is no value",
    "peak > 1e99999999MiB, is no value",
    "peak > 1e-999999999GiB, is no value",
    "peak > 20Y, is no value",
    "time > 1e99999999s, is no value"
  })
  void refusesWhatIsNone(String text, String message) {
    assertThatThrownBy(() -> Condition.parse(text)).hasMessageContaining(message);
  }
}
