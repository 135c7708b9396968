package dev.gleaner.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTest {
  private static final BigDecimal TWO = BigDecimal.valueOf(2);

  @Test
  void beginsWithTheSettingsAsTheyAre() {
    assertThat(new Sweep(List.of(BigDecimal.ONE, TWO), List.of(5L, 6L), List.of()).tunings())
        .containsExactly(
            Tuning.UNCHANGED,
            new Tuning(BigDecimal.ONE, 5L, null),
            new Tuning(BigDecimal.ONE, 6L, null),
            new Tuning(TWO, 5L, null),
            new Tuning(TWO, 6L, null));
  }

  @Test
  void crossesLimitsToo() {
    assertThat(new Sweep(List.of(TWO), List.of(5L), List.of("1m", "2m")).tunings())
        .containsExactly(Tuning.UNCHANGED, new Tuning(TWO, 5L, "1m"), new Tuning(TWO, 5L, "2m"));
  }

  @Test
  void triesMultsAroundTheOneInForce() {
    assertThat(Sweep.around(BigDecimal.valueOf(50)).stream().map(BigDecimal::toPlainString))
        .containsExactly("10", "25", "50", "100", "250", "500");
    assertThat(Sweep.around(BigDecimal.ZERO))
        .contains(BigDecimal.ONE)
        .doesNotContain(BigDecimal.ZERO);
  }

  @Test
  void theHoconSetsWhatTheTrialHad() {
    Tuning tuning = new Tuning(new BigDecimal("0.5"), 7L, "64m");
    Config pasted = ConfigFactory.parseString(tuning.hocon("hybrid"));
    assertThat(pasted.getString("gleaner.collector")).isEqualTo("hybrid");
    Config tried = ConfigFactory.empty();
    for (String override : tuning.overrides("hybrid")) {
      tried = tried.withFallback(ConfigFactory.parseString(override));
    }
    assertThat(pasted.getConfig("gleaner.collectors.hybrid"))
        .isEqualTo(tried.getConfig("gleaner.collectors.hybrid"));
    assertThat(ConfigFactory.parseString(Tuning.UNCHANGED.hocon("hybrid")).entrySet()).hasSize(1);
  }
}
