package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results to render. */
final class Examples {
  static final Machine MACHINE = new Machine("A CPU", 2, 16L << 30, "Linux 6", "A JVM 25");

  private Examples() {}

  static RunResult run(String status, @Nullable Long checksum, double seconds) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, figure.whole() ? 123_456_789.0 : seconds);
    }
    figures.put(Figure.PAUSE_SECONDS_TOTAL, seconds / 4);
    figures.put(Figure.PAUSE_SECONDS_P50, 0.000123456);
    figures.put(Figure.BYTES_PER_ELEMENT, 32.48);
    return new RunResult(status, checksum, figures, Map.of("collection_1_ms", 12.345));
  }

  /** A run that came to its end, with the figures that a verdict is made of. */
  static RunResult run(double seconds, double peak, double pause) {
    return new RunResult(
        RunResult.OK,
        1L,
        Map.of(
            Figure.SECONDS, seconds,
            Figure.PEAK_USED_BYTES, peak,
            Figure.PAUSE_SECONDS_MAX, pause),
        Map.of());
  }

  static Row row(String collector, RunResult... runs) {
    return new Row(collector, "1.0", Map.of("gleaner", Map.of("verify", "off")), List.of(runs));
  }

  static Comparison comparison(Row... rows) {
    return new Comparison("churn", Map.of("slots", "1_000"), MACHINE, List.of(rows));
  }
}
