package dev.gleaner.lab.output;

import dev.gleaner.kit.oracle.Soak;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a soak did, as text, JSON or CSV. */
public final class SoakReport {
  private SoakReport() {}

  /** Returns how far it is, in a line. */
  public static String progress(Soak.Report report) {
    return String.format(
        Locale.ROOT,
        "seed %d, %,d programs, %,d operations, %,d failed",
        report.seed(),
        report.programs(),
        report.operations(),
        report.failures());
  }

  /** Returns a line about a program that failed. */
  public static String line(Soak.Found found) {
    String message =
        found.like() == found.seed()
            ? found.message().lines().findFirst().orElse("")
            : "like seed " + found.like();
    return "FAILED %s, seed %d: %s".formatted(found.collector(), found.seed(), message);
  }

  /** Returns a line for each collector, and one for all. */
  public static List<String> text(Soak.Report report) {
    List<String> lines = new ArrayList<>();
    report
        .counts()
        .forEach((collector, count) ->
            lines.add(
                String.format(
                    Locale.ROOT,
                    "%s: %,d programs, %,d operations, %,d failed",
                    collector,
                    count.programs(),
                    count.operations(),
                    count.failed())));
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d operations in %,d s; the next seed is %d",
            report.operations(),
            report.time().toSeconds(),
            report.seed()));
    return lines;
  }

  /** Returns an array with an object for each collector. */
  public static String json(Soak.Report report) {
    List<Map<String, Object>> array = new ArrayList<>();
    report
        .counts()
        .forEach((collector, count) -> {
          Map<String, Object> fields = new LinkedHashMap<>();
          fields.put("collector", collector);
          fields.put("programs", count.programs());
          fields.put("operations", count.operations());
          fields.put("failed", count.failed());
          fields.put("nextSeed", report.seed());
          fields.put("seconds", report.time().toSeconds());
          array.add(fields);
        });
    return ComparisonJson.write(array);
  }

  /** Returns a header and a line for each collector. */
  public static List<String> csv(Soak.Report report) {
    List<String> lines = new ArrayList<>();
    lines.add("collector,programs,operations,failed,next_seed,seconds");
    report
        .counts()
        .forEach((collector, count) ->
            lines.add(
                ComparisonCsv.line(
                    List.of(
                        collector,
                        "" + count.programs(),
                        "" + count.operations(),
                        "" + count.failed(),
                        "" + report.seed(),
                        "" + report.time().toSeconds()))));
    return lines;
  }
}
