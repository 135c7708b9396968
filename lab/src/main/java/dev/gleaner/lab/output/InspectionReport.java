package dev.gleaner.lab.output;

import dev.gleaner.lab.hprof.Inspection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what is in a heap dump. */
public final class InspectionReport {
  private InspectionReport() {}

  /**
   * Returns totals, and tables of the classes and objects that retain most.
   *
   * @param width the most characters of a line; names are shortened in their midst to fit
   */
  public static List<String> lines(Path file, Inspection inspection, int top, int width) {
    Inspection.Totals totals = inspection.totals();
    List<String> lines = new ArrayList<>();
    sentence(
        width,
        lines,
        "%s: %s objects, %s, %s references, %s objects held by roots"
            .formatted(
                Printable.line(file.toString()),
                Units.count(totals.objects()),
                Units.bytes(totals.bytes()),
                Units.count(totals.references()),
                Units.count(totals.roots())));
    long garbage = totals.objects() - totals.reachable();
    if (garbage > 0) {
      sentence(
          width,
          lines,
          "no root leads to %s of the objects, %s; they retain nothing"
              .formatted(
                  Units.count(garbage), Units.bytes(totals.bytes() - totals.reachableBytes())));
    }
    if (top > 0) {
      classes(inspection, top, width, lines);
      objects(inspection, top, width, lines);
    }
    return lines;
  }

  private static void sentence(int width, List<String> lines, String text) {
    lines.addAll(Words.wrapped(text, width));
  }

  private static void classes(Inspection inspection, int top, int width, List<String> lines) {
    List<Inspection.ClassRow> rows = inspection.classes();
    TextTable table =
        new TextTable().column("class").column("objects").column("bytes").column("retained");
    for (Inspection.ClassRow row : rows.subList(0, Math.min(top, rows.size()))) {
      table.row(
          List.of(
              row.name(),
              Units.count(row.objects()),
              Units.bytes(row.bytes()),
              Units.bytes(row.retained())));
    }
    table.shorten(0, width);
    lines.add("");
    lines.addAll(table.lines());
    if (rows.size() > top) {
      lines.add("and %d more classes (--top)".formatted(rows.size() - top));
    }
  }

  private static void objects(Inspection inspection, int top, int width, List<String> lines) {
    long all = inspection.totals().reachableBytes();
    TextTable table =
        new TextTable()
            .column("object")
            .textColumn("class")
            .column("bytes")
            .column("retained")
            .column("%");
    for (Inspection.ObjectRow row : inspection.largest(top)) {
      table.row(
          List.of(
              "%#x".formatted(row.id()),
              row.className(),
              Units.bytes(row.bytes()),
              Units.bytes(row.retained()),
              Units.digits(100.0 * row.retained() / all)));
    }
    table.shorten(1, width);
    lines.add("");
    lines.addAll(table.lines());
  }

  /**
   * Returns the way from a root to an object, a line a step.
   *
   * @param width the most characters of a line; steps are shortened in their midst to fit
   */
  public static List<String> path(long id, Inspection inspection, int width) {
    List<String> steps = inspection.path(id);
    if (steps.isEmpty()) {
      return List.of("no root leads to %#x".formatted(id));
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      String indent = "  ".repeat(Math.min(i, Math.min(20, width / 4)));
      lines.add(indent + Words.shortened(Printable.line(steps.get(i)), width - indent.length()));
    }
    return lines;
  }
}
