package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.chart.ScatterChart;
import dev.gleaner.lab.chart.Series;
import dev.gleaner.lab.chart.Series.Point;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Column;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.output.Words.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Time against memory: a point for every run that is ok, by its peak and its time. */
final class TradeSection {
  private TradeSection() {}

  static void addTo(Markup html, Subject subject) {
    html.element("h3", "Time against memory", "id", subject.id() + "-trade").line();
    List<Series> series = new ArrayList<>();
    for (Row row : subject.comparison().rows()) {
      List<Point> points = points(row);
      if (!points.isEmpty()) {
        series.add(new Series(row.collector(), subject.style(row.collector()), points));
      }
    }
    if (series.isEmpty()) {
      html.element(
          "p", "No run came to its end with a measured heap, so there is nothing to draw.");
      return;
    }
    String title = "Time against memory, " + subject.comparison().title();
    ScatterChart chart =
        new ScatterChart(
            "peak memory in use", Quantity.BYTES, "time", Quantity.TIME, series, false);
    Panel panel =
        new Panel(
            subject.id() + "-trade-chart",
            title,
            sentence(subject, series),
            chart,
            data(subject, title));
    series.forEach(one -> panel.key(one.name(), one.style()));
    panel.addTo(html);
  }

  private static List<Point> points(Row row) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < row.runs().size(); i++) {
      RunResult run = row.runs().get(i);
      if (run.ok() && run.figures().containsKey(Figure.PEAK_USED_BYTES)) {
        points.add(
            new Point(
                Objects.requireNonNull(run.figure(Figure.PEAK_USED_BYTES)),
                Objects.requireNonNull(run.figure(Figure.SECONDS)),
                "run " + (i + 1)));
      }
    }
    return points;
  }

  private static String sentence(Subject subject, List<Series> series) {
    List<Found> times = new ArrayList<>();
    List<Found> peaks = new ArrayList<>();
    for (Series one : series) {
      double seconds = one.points().stream().mapToDouble(Point::y).min().orElse(0);
      double bytes = one.points().stream().mapToDouble(Point::x).min().orElse(0);
      times.add(new Found(one.name(), seconds));
      peaks.add(new Found(one.name(), bytes));
    }
    String time =
        Words.extremes(times, "took", "took", "the longest", "the shortest", Quantity.TIME::text);
    String space =
        Words.extremes(peaks, "needed", "needed", "the most", "the least", Quantity.BYTES::text);
    List<Point> front =
        ScatterChart.front(series.stream().flatMap(one -> one.points().stream()).toList());
    List<String> best =
        series.stream()
            .filter(one -> one.points().stream().anyMatch(front::contains))
            .map(Series::name)
            .toList();
    List<String> failed =
        subject.comparison().rows().stream().filter(row -> !row.ok()).map(Row::collector).toList();
    return "Less is better in both directions. By their best runs "
        + time
        + ". "
        + space
        + "."
        + (series.size() == 1
            ? ""
            : " On the dotted front, where no other run was as fast in as little memory: "
                + Words.and(best)
                + ".")
        + (failed.isEmpty() ? "" : " Runs that failed are left out: " + Words.and(failed) + ".");
  }

  private static HtmlTable data(Subject subject, String title) {
    HtmlTable table = new HtmlTable(title).texts("collector").figures("run", "");
    table.figures("peak", "").figures("time", "").texts("status");
    for (Row row : subject.comparison().rows()) {
      for (int i = 0; i < row.runs().size(); i++) {
        RunResult run = row.runs().get(i);
        table.row(
            List.of(
                row.collector(),
                Integer.toString(i + 1),
                Column.cell(run.figure(Figure.PEAK_USED_BYTES), Quantity.BYTES::text),
                Column.cell(run.figure(Figure.SECONDS), Quantity.TIME::text),
                run.status()));
      }
    }
    return table;
  }
}
