package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Comparisons as CSV (RFC 4180, lines end with a line feed): a line a run, and a header. The
 * workload's own figures are one field, {@code name=value} parted by spaces.
 */
public final class ComparisonCsv {
  private ComparisonCsv() {}

  /** Returns the lines. */
  public static List<String> lines(List<Comparison> comparisons) {
    List<String> lines = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of("workload", "collector", "version", "run"));
    for (Figure figure : Figure.values()) {
      header.add(figure.key());
    }
    header.addAll(List.of("checksum", "status", "extras"));
    lines.add(line(header));
    for (Comparison comparison : comparisons) {
      for (Row row : comparison.rows()) {
        for (int i = 0; i < row.runs().size(); i++) {
          lines.add(line(fields(comparison, row, i)));
        }
      }
    }
    return lines;
  }

  private static List<String> fields(Comparison comparison, Row row, int index) {
    RunResult run = row.runs().get(index);
    List<String> fields = new ArrayList<>();
    fields.add(comparison.title());
    fields.add(row.collector());
    fields.add(row.version());
    fields.add(Integer.toString(index + 1));
    for (Figure figure : Figure.values()) {
      Double value = run.figure(figure);
      fields.add(value == null ? "" : number(figure, value));
    }
    fields.add(run.checksum() == null ? "" : run.checksum().toString());
    fields.add(run.status());
    fields.add(
        run.extras().entrySet().stream()
            .map(ComparisonCsv::extra)
            .collect(Collectors.joining(" ")));
    return fields;
  }

  private static String number(Figure figure, double value) {
    return figure.whole() ? Long.toString(Math.round(value)) : Double.toString(value);
  }

  private static String extra(Map.Entry<String, Double> entry) {
    return entry.getKey() + "=" + entry.getValue();
  }

  /** Returns one line; fields with commas, quotes or line ends are quoted. */
  public static String line(List<String> fields) {
    return fields.stream().map(ComparisonCsv::quoted).collect(Collectors.joining(","));
  }

  private static String quoted(String field) {
    boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }
}
