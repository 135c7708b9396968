package dev.gleaner.lab.report;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.Recordings;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Setting;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Comparisons to report. */
final class Reports {
  private static final double MIB = 1 << 20;
  static final Machine MACHINE = new Machine("A <CPU> & \"more\"", 2, 16L << 30, "Linux 6", "JVM");

  private Reports() {}

  /** A run with a saw-tooth of so many collections. */
  static RunResult run(double seconds, double peakMebibytes, int collections) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, figure.whole() ? 1000.0 : 0.001);
    }
    figures.put(Figure.SECONDS, seconds);
    figures.put(Figure.COLLECTIONS, (double) collections);
    figures.put(Figure.PEAK_USED_BYTES, peakMebibytes * MIB);
    return new RunResult(
        RunResult.OK,
        5L,
        figures,
        Map.of(),
        Recordings.sawTooth(seconds, (long) (peakMebibytes * MIB), collections));
  }

  /** The same run, failed. */
  static RunResult failed(String status, RunResult run) {
    return new RunResult(status, null, run.figures(), run.extras(), run.recording());
  }

  static Row row(String collector, RunResult... runs) {
    return new Row(
        collector,
        "1.0",
        Map.of("jvm", List.of("-XX:+UseSerialGC", "-Dx=<y>")),
        List.of(
            new Setting("gleaner.memory.max", "64m", "1GiB", "--max-memory"),
            new Setting("gleaner.verify", "off", "off", "default")),
        List.of(runs));
  }

  static Comparison comparison(String workload, Row... rows) {
    return new Comparison(workload, Map.of("slots", "1_000"), MACHINE, List.of(rows));
  }

  static String html(Comparison... comparisons) {
    ZonedDateTime when = ZonedDateTime.of(2026, 3, 4, 5, 6, 7, 0, ZoneOffset.UTC);
    return HtmlReport.of(List.of(comparisons), when);
  }
}
