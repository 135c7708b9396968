package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.chart.ScatterChart;
import dev.gleaner.lab.chart.Series;
import dev.gleaner.lab.chart.Series.Point;
import dev.gleaner.lab.chart.Style;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.output.Column;
import dev.gleaner.lab.output.SweepTable;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.tune.Finals;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.Trial;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The report of a sweep: what is recommended and its HOCON, time against memory with a line for
 * each ADD (and limit), and every trial.
 */
public final class SweepReport {
  private SweepReport() {}

  /**
   * Returns the text of the file.
   *
   * @param when the last trial ended
   */
  public static String of(SweepResult sweep, ZonedDateTime when) {
    return new HtmlPage("Settings for " + sweep.title(), "Gleaner, sweep of settings")
        .of(sweep.machine(), when, header -> {}, main -> results(main, sweep));
  }

  private static void results(Markup html, SweepResult sweep) {
    html.open("section", "id", "sweep", "aria-labelledby", "sweep-heading");
    html.element("h2", sweep.title(), "id", "sweep-heading").line().open("dl");
    HtmlPage.parameters(html, sweep.parameters());
    HtmlPage.fact(html, "Collector", sweep.collector() + " " + sweep.version());
    HtmlPage.fact(html, "Trials", Integer.toString(sweep.tried()));
    html.close().line();
    advice(html, sweep);
    curve(html, sweep);
    html.element("h3", "Every trial", "id", "trials").line();
    trials(sweep, sweep.trials(), "Every trial, with its median run").addTo(html);
    SweepTable.same(sweep).forEach(sentence -> html.element("p", sentence).line());
    html.close().line();
  }

  private static void advice(Markup html, SweepResult sweep) {
    html.element("h3", "Recommended", "id", "recommended").line();
    SweepTable.reasons(sweep).forEach(sentence -> html.element("p", sentence).line());
    Finals finals = sweep.finals();
    if (finals != null) {
      trials(sweep, finals.finalists(), SweepTable.finalTitle(finals)).addTo(html);
    }
    Trial trial = sweep.tradeOff().recommended();
    if (trial != null) {
      html.element("pre", trial.tuning().hocon(sweep.collector()), "tabindex", 0).line();
    }
  }

  private static void curve(Markup html, SweepResult sweep) {
    html.element("h3", "Time against memory", "id", "curve").line();
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    for (Trial trial : sweep.trials()) {
      if (trial.ok()) {
        lines
            .computeIfAbsent(line(trial), name -> new ArrayList<>())
            .add(new Point(trial.peakBytes(), trial.seconds(), trial.tuning().text()));
      }
    }
    if (lines.isEmpty()) {
      html.element("p", "No trial came to its end, so there is nothing to draw.");
      return;
    }
    List<Trial> ok = sweep.trials().stream().filter(Trial::ok).toList();
    if (SweepTable.isOneLine(ok)) {
      html.element("p", SweepTable.oneLine(ok)).line();
      return;
    }
    List<Series> series = new ArrayList<>();
    lines.forEach((name, points) -> series.add(new Series(name, new Style(series.size()), points)));
    String title = "Time against peak memory, " + sweep.title();
    Panel panel =
        new Panel(
            "curve-chart",
            title,
            sentence(sweep),
            new ScatterChart(
                "peak memory in use", Quantity.BYTES, "time", Quantity.TIME, series, true),
            trials(sweep, sweep.trials(), title));
    series.forEach(one -> panel.key(one.name(), one.style()));
    panel.addTo(html);
  }

  /** Trials of one line differ in MULT alone. */
  private static String line(Trial trial) {
    Long add = trial.tuning().add();
    String limit = trial.tuning().maxMemory();
    return (add == null ? "as set" : "add " + add) + (limit == null ? "" : ", limit " + limit);
  }

  private static String sentence(SweepResult sweep) {
    List<Trial> front = sweep.tradeOff().front();
    Trial least = front.getFirst();
    Trial fastest = front.getLast();
    String ends =
        front.size() == 1
            ? "No trial is faster, or needs less memory, than " + named(least)
            : "On the dotted front from the least memory, "
                + named(least)
                + ", to the least time, "
                + named(fastest);
    return "Less is better in both directions; along a line MULT grows. " + ends + ".";
  }

  private static String named(Trial trial) {
    return "%s (%s, %s)"
        .formatted(
            trial.tuning().text(),
            Quantity.BYTES.text(trial.peakBytes()),
            Quantity.TIME.text(trial.seconds()));
  }

  private static HtmlTable trials(SweepResult sweep, List<Trial> trials, String caption) {
    HtmlTable table = new HtmlTable(caption).texts("settings").figures("mult", "");
    table.figures("add", "").figures("limit", "").figures("time", "").figures("collections", "");
    table.figures("longest pause", "").figures("peak", "").texts("on the front").texts("status");
    for (Trial trial : trials) {
      List<String> cells = new ArrayList<>();
      boolean recommended = sweep.isRecommended(trial);
      cells.add(trial.tuning().text() + (recommended ? " (recommended)" : ""));
      cells.addAll(trial.tuning().cells());
      cells.add(Column.cell(trial.shown().figure(Figure.SECONDS), Quantity.TIME::text));
      cells.add(Column.cell(trial.shown().figure(Figure.COLLECTIONS), Units::count));
      cells.add(Column.cell(trial.mostPause(), Quantity.TIME::text));
      cells.add(Column.cell(trial.mostPeak(), Quantity.BYTES::text));
      cells.add(sweep.tradeOff().front().contains(trial) ? "yes" : "");
      cells.add(trial.status());
      table.row(cells);
    }
    return table;
  }
}
