package dev.gleaner.lab.tune;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Trials to compare. */
final class Trials {
  private Trials() {}

  static Trial trial(int mult, double seconds, double peakBytes, double pause) {
    return new Trial(tuning(mult), List.of(run(seconds, peakBytes, pause)));
  }

  static Tuning tuning(int mult) {
    return new Tuning(BigDecimal.valueOf(mult), 1024L, null);
  }

  static RunResult run(double seconds, double peakBytes, double pause) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.SECONDS, seconds);
    figures.put(Figure.PEAK_USED_BYTES, peakBytes);
    figures.put(Figure.PAUSE_SECONDS_MAX, pause);
    return new RunResult(RunResult.OK, 42L, figures, Map.of());
  }
}
