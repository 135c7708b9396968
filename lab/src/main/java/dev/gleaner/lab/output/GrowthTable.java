package dev.gleaner.lab.output;

import dev.gleaner.lab.growth.GrowthClass;
import dev.gleaner.lab.growth.GrowthCurve;
import dev.gleaner.lab.growth.Peak;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a program's peak grows under several collectors, as text, JSON (schema 1) or CSV.
 *
 * @param program its name
 * @param sizes those that were asked for
 */
public record GrowthTable(String program, List<Long> sizes, List<GrowthCurve> curves) {

  /** Copies. */
  public GrowthTable {
    sizes = List.copyOf(sizes);
    curves = List.copyOf(curves);
  }

  /** Returns a number as it is read best. */
  public static String number(long n) {
    return String.format(Locale.ROOT, "%,d", n);
  }

  /** Returns the peak at a size, or a dash. */
  public static String peak(GrowthCurve curve, long n) {
    Peak peak = curve.at(n);
    return peak == null ? "–" : Units.bytes(peak.bytes());
  }

  /** Returns what one more of n costs, in bytes, or a dash. */
  public static String forEach(GrowthCurve curve) {
    return curve.verdict() == null
        ? "–"
        : String.format(Locale.ROOT, "%.2f", curve.bytesForEach() + 0.0);
  }

  /** Returns the verdict, or that there is none. */
  public static String verdict(GrowthCurve curve) {
    GrowthClass verdict = curve.verdict();
    return verdict == null ? "failed" : verdict.text();
  }

  /** Returns what has to be said beside the figures, a sentence a collector. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (GrowthCurve curve : curves) {
      if (!curve.note().isEmpty()) {
        notes.add(curve.collector() + ": " + curve.note());
      }
    }
    return notes;
  }

  /**
   * Returns the lines.
   *
   * @param width the most characters of a sentence's line
   */
  public List<String> lines(int width) {
    List<String> lines = new ArrayList<>(Words.wrapped(program + ", peak memory by n", width));
    lines.add("");
    TextTable table = new TextTable().column("collector");
    sizes.forEach(n -> table.column("n = " + number(n)));
    table.column("bytes for\neach of n").textColumn("memory is");
    for (GrowthCurve curve : curves) {
      List<String> cells = new ArrayList<>(List.of(curve.collector()));
      sizes.forEach(n -> cells.add(peak(curve, n)));
      cells.add(forEach(curve));
      cells.add(verdict(curve));
      table.row(cells);
    }
    lines.addAll(table.lines());
    List<String> notes = notes();
    if (!notes.isEmpty()) {
      lines.add("");
      notes.forEach(note -> lines.addAll(Words.wrapped(note, width)));
    }
    return lines;
  }

  /** Returns a line a run, with a header. */
  public List<String> csv() {
    List<String> lines =
        new ArrayList<>(List.of("collector,n,peak_used_bytes,collections,verdict"));
    for (GrowthCurve curve : curves) {
      for (Peak peak : curve.peaks()) {
        lines.add(
            "%s,%d,%d,%d,%s"
                .formatted(
                    curve.collector(), peak.n(), peak.bytes(), peak.collections(), verdict(curve)));
      }
    }
    return lines;
  }

  /** Returns the document. */
  public String json(Machine machine) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("schema", 1);
    document.put("program", program);
    document.put("machine", ComparisonJson.machine(machine));
    List<Map<String, @Nullable Object>> results = new ArrayList<>();
    for (GrowthCurve curve : curves) {
      Map<String, @Nullable Object> result = new LinkedHashMap<>();
      result.put("collector", curve.collector());
      result.put("version", curve.version());
      GrowthClass verdict = curve.verdict();
      result.put("verdict", verdict == null ? null : verdict.text());
      result.put("bytes_for_each", verdict == null ? null : curve.bytesForEach());
      result.put("note", curve.note());
      List<Map<String, Object>> runs = new ArrayList<>();
      for (Peak peak : curve.peaks()) {
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("n", peak.n());
        run.put("peak_used_bytes", peak.bytes());
        run.put("collections", peak.collections());
        runs.add(run);
      }
      result.put("runs", runs);
      results.add(result);
    }
    document.put("results", results);
    return ComparisonJson.write(document);
  }
}
