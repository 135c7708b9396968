package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.ProgramTimes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What programs took under several interpreters: a table of first runs, one of best runs, in
 * multiples of a reference if there is one, with geometric means; or JSON, or CSV.
 *
 * @param reference who the others are compared with; his times are seconds, as are all if he has
 *     none
 * @param interpreters in the order of the columns, the reference first if there is one
 * @param times of all programs, in the order of the rows
 * @param runs that the best one is of
 * @param checked those that must print what the first interpreter prints
 */
public record BenchTable(
    String reference,
    List<String> interpreters,
    Map<String, List<ProgramTimes>> times,
    int runs,
    List<String> checked) {
  private static final String NONE = "–";

  /** Returns what went wrong, or is unlike what the first interpreter printed, a line each. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    times.forEach((program, row) -> {
      long printed = row.getFirst().checksum();
      for (ProgramTimes each : row) {
        if (!each.failure().isEmpty()) {
          notes.add("%s under %s: %s".formatted(program, each.by(), each.failure()));
        } else if (row.getFirst().ok() && each.checksum() != printed) {
          notes.add(
              "%s under %s prints another thing than under %s"
                  .formatted(program, each.by(), row.getFirst().by()));
        }
      }
    });
    return notes;
  }

  /** Returns whether all that are checked ran, and printed what the first one did. */
  public boolean ok() {
    return times.values().stream().allMatch(this::ok);
  }

  private boolean ok(List<ProgramTimes> row) {
    ProgramTimes first = row.getFirst();
    return row.stream()
        .filter(each -> checked.contains(each.by()))
        .allMatch(each -> each.ok() && (!first.ok() || each.checksum() == first.checksum()));
  }

  /** Returns the text, at most as wide as told where it can be. */
  public String text(Format format, Machine machine, int width) {
    return switch (format) {
      case TABLE -> tables(machine, width);
      case CSV -> csv();
      case JSON -> json(machine);
    };
  }

  private String tables(Machine machine, int width) {
    List<String> lines = new ArrayList<>();
    String unit = hasReference() ? ", in multiples of " + reference : ", in seconds";
    lines.add("The first run in a process" + unit);
    lines.addAll(table(ProgramTimes::first));
    lines.add("");
    if (runs > 1) { // the best of one is the first
      lines.add("The best of " + runs + " runs in a process" + unit);
      lines.addAll(table(ProgramTimes::best));
      lines.add("");
    }
    notes().forEach(note -> lines.addAll(Words.wrapped(note, width)));
    lines.addAll(machine.lines(width));
    return String.join("\n", lines);
  }

  private boolean hasReference() {
    return interpreters.contains(reference);
  }

  private List<String> table(ToDoubleFunction<ProgramTimes> time) {
    TextTable table = new TextTable().column("");
    for (String each : interpreters) {
      table.column(each.equals(reference) ? each + "\ns" : each);
    }
    times.forEach((program, row) -> {
      List<String> cells = new ArrayList<>(List.of(program));
      row.forEach(each -> cells.add(cell(figure(each, row.getFirst(), time))));
      table.row(cells);
    });
    List<String> means = new ArrayList<>(List.of("mean"));
    for (int i = 0; i < interpreters.size(); i++) {
      means.add(mean(i, time));
    }
    table.row(means);
    return table.lines();
  }

  /** A multiple of the reference's best run; seconds for himself, and where there is none. */
  private double figure(
      ProgramTimes times, ProgramTimes reference, ToDoubleFunction<ProgramTimes> time) {
    double seconds = time.applyAsDouble(times);
    return !hasReference() || times.by().equals(this.reference)
        ? seconds
        : seconds / reference.best();
  }

  private String mean(int column, ToDoubleFunction<ProgramTimes> time) {
    double[] logarithms =
        times.values().stream()
            .mapToDouble(row -> figure(row.get(column), row.getFirst(), time))
            .filter(figure -> figure > 0)
            .map(Math::log)
            .toArray();
    double sum = 0;
    for (double each : logarithms) {
      sum += each;
    }
    return logarithms.length == 0 ? NONE : cell(Math.exp(sum / logarithms.length));
  }

  private static String cell(double figure) {
    return Double.isNaN(figure) ? NONE : String.format(Locale.ROOT, "%.2f", figure);
  }

  private String csv() {
    List<String> lines = new ArrayList<>(List.of("program,interpreter,first,best,checksum,status"));
    times
        .values()
        .forEach(row ->
            row.forEach(each ->
                lines.add(
                    "%s,%s,%s,%s,%d,%s"
                        .formatted(
                            each.program(),
                            each.by(),
                            seconds(each.first()),
                            seconds(each.best()),
                            each.checksum(),
                            each.failure().isEmpty() ? "ok" : "failed"))));
    return String.join("\n", lines);
  }

  private static String seconds(double seconds) {
    return Double.isNaN(seconds) ? "" : Double.toString(seconds);
  }

  private String json(Machine machine) {
    List<Map<String, Object>> results = new ArrayList<>();
    times
        .values()
        .forEach(row ->
            row.forEach(each -> {
              Map<String, Object> result = new LinkedHashMap<>();
              result.put("program", each.program());
              result.put("interpreter", each.by());
              result.put("cpu_seconds", each.seconds());
              result.put("checksum", each.checksum());
              result.put("status", each.failure().isEmpty() ? "ok" : each.failure());
              results.add(result);
            }));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", 1);
    document.put("machine", ComparisonJson.machine(machine));
    document.put("results", results);
    return ComparisonJson.write(document);
  }
}
