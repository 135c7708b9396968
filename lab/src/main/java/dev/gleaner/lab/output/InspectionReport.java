package dev.gleaner.lab.output;

import dev.gleaner.lab.hprof.Inspection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what is in a heap dump. */
public final class InspectionReport {
  private InspectionReport() {}

  /** Returns totals, and tables of the classes and objects that retain most. */
  public static List<String> lines(Path file, Inspection inspection, int top) {
    Inspection.Totals totals = inspection.totals();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s objects, %s, %s references, %s objects held by roots"
            .formatted(
                Printable.line(file.toString()),
                Units.count(totals.objects()),
                Units.bytes(totals.bytes()),
                Units.count(totals.references()),
                Units.count(totals.roots())));
    long garbage = totals.objects() - totals.reachable();
    if (garbage > 0) {
      lines.add(
          "no root leads to %s of the objects, %s; they retain nothing"
              .formatted(
                  Units.count(garbage), Units.bytes(totals.bytes() - totals.reachableBytes())));
    }
    if (top > 0) {
      classes(inspection, top, lines);
      objects(inspection, top, totals.reachableBytes(), lines);
    }
    return lines;
  }

  private static void classes(Inspection inspection, int top, List<String> lines) {
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
    lines.add("");
    lines.addAll(table.lines());
    if (rows.size() > top) {
      lines.add("and %d more classes (--top)".formatted(rows.size() - top));
    }
  }

  private static void objects(Inspection inspection, int top, long all, List<String> lines) {
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
    lines.add("");
    lines.addAll(table.lines());
  }

  /** Returns the way from a root to an object, a line a step. */
  public static List<String> path(long id, Inspection inspection) {
    List<String> steps = inspection.path(id);
    if (steps.isEmpty()) {
      return List.of("no root leads to %#x".formatted(id));
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      lines.add("  ".repeat(Math.min(i, 20)) + Printable.line(steps.get(i)));
    }
    return lines;
  }
}
