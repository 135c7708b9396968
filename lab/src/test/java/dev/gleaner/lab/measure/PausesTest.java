package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PausesTest {
  private static Map<Figure, Double> figures(Pauses pauses) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    pauses.putInto(figures);
    return figures;
  }

  @Test
  void percentilesAreThoseOfAllPauses() {
    Pauses pauses = new Pauses();
    for (int i = 100; i >= 1; i--) {
      pauses.record(i * 1_000_000L);
    }
    Map<Figure, Double> figures = figures(pauses);
    assertThat(figures.get(Figure.PAUSE_SECONDS_P50)).isCloseTo(0.050, within(0.0001));
    assertThat(figures.get(Figure.PAUSE_SECONDS_P99)).isCloseTo(0.099, within(0.0001));
    assertThat(figures.get(Figure.PAUSE_SECONDS_MAX)).isEqualTo(0.1);
  }

  @Test
  void noPercentileExceedsTheLongest() {
    Pauses pauses = new Pauses();
    pauses.record(1_234_567_891L);
    assertThat(figures(pauses).values()).containsOnly(1.234567891);
  }

  @Test
  void withoutAPauseThereIsNoFigure() {
    assertThat(figures(new Pauses())).isEmpty();
  }

  @Test
  void aPauseOfHoursIsStillThere() {
    Pauses pauses = new Pauses();
    pauses.record(7_200_000_000_000L);
    assertThat(figures(pauses).get(Figure.PAUSE_SECONDS_MAX)).isEqualTo(7200);
  }
}
