package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.LineChart;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.chart.Series;
import dev.gleaner.lab.chart.Series.Point;
import dev.gleaner.lab.chart.Style;
import dev.gleaner.lab.growth.GrowthCurve;
import dev.gleaner.lab.growth.Peak;
import dev.gleaner.lab.output.GrowthTable;
import dev.gleaner.lab.output.Machine;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The report of a program's growth: peak against n, a line a collector, and every run. */
public final class GrowthReport {
  private GrowthReport() {}

  /**
   * Returns the text of the file.
   *
   * @param when the last run ended
   */
  public static String of(GrowthTable growth, Machine machine, ZonedDateTime when) {
    return new HtmlPage("Growth of " + growth.program(), "Gleaner, peak memory by size")
        .of(machine, when, header -> {}, main -> results(main, growth));
  }

  private static void results(Markup html, GrowthTable growth) {
    html.open("section", "id", "growth", "aria-labelledby", "growth-heading");
    html.element("h2", growth.program(), "id", "growth-heading").line();
    summary(growth).addTo(html);
    growth.notes().forEach(note -> html.element("p", note).line());
    String title = "Peak memory by n, " + growth.program();
    List<Style> styles = Style.of(growth.curves().stream().map(GrowthCurve::collector).toList());
    List<Series> series = new ArrayList<>();
    for (int i = 0; i < styles.size(); i++) {
      GrowthCurve curve = growth.curves().get(i);
      List<Point> points =
          curve.peaks().stream().map(peak -> new Point(peak.n(), peak.bytes())).toList();
      if (!points.isEmpty()) {
        series.add(new Series(curve.collector(), styles.get(i), points));
      }
    }
    if (series.isEmpty()) {
      html.element("p", "No run came to its end, so there is nothing to draw.");
    } else {
      html.element("h3", "Peak against n", "id", "curve").line();
      Panel panel =
          new Panel(
              "growth-chart",
              title,
              sentence(growth),
              new LineChart("n", Quantity.COUNT, "peak memory in use", Quantity.BYTES, series),
              every(growth, title));
      series.forEach(one -> panel.key(one.name(), one.style()));
      panel.addTo(html);
    }
    html.close().line();
  }

  private static String sentence(GrowthTable growth) {
    return growth.curves().stream()
        .map(curve -> curve.collector() + " " + GrowthTable.verdict(curve))
        .collect(Collectors.joining(", ", "A level line is constant memory. Here: ", "."));
  }

  private static HtmlTable summary(GrowthTable growth) {
    HtmlTable table = new HtmlTable("Peak memory by n").texts("collector");
    growth.sizes().forEach(n -> table.figures("n = " + GrowthTable.number(n), ""));
    table.figures("for each of n", "B").texts("memory is");
    for (GrowthCurve curve : growth.curves()) {
      List<String> cells = new ArrayList<>(List.of(curve.collector()));
      growth.sizes().forEach(n -> cells.add(GrowthTable.peak(curve, n)));
      cells.add(GrowthTable.forEach(curve));
      cells.add(GrowthTable.verdict(curve));
      table.row(cells);
    }
    return table;
  }

  private static HtmlTable every(GrowthTable growth, String caption) {
    HtmlTable table = new HtmlTable(caption).texts("collector").figures("n", "");
    table.figures("peak", "").figures("collections", "");
    for (GrowthCurve curve : growth.curves()) {
      for (Peak peak : curve.peaks()) {
        table.row(
            List.of(
                curve.collector(),
                GrowthTable.number(peak.n()),
                Quantity.BYTES.text((double) peak.bytes()),
                GrowthTable.number(peak.collections())));
      }
    }
    return table;
  }
}
