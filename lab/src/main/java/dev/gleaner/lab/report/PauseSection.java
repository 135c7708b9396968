package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HistogramChart;
import dev.gleaner.lab.chart.HistogramChart.Mark;
import dev.gleaner.lab.chart.HistogramChart.Strip;
import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.measure.PauseHistogram;
import dev.gleaner.lab.output.Column;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.output.Units.Unit;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.output.Words.Found;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The pauses of the runs that count of every contender: how often which, and percentiles. */
final class PauseSection {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  private PauseSection() {}

  static void addTo(Markup html, Subject subject) {
    List<Row> rows = subject.comparison().rows();
    List<Row> paused = rows.stream().filter(row -> row.pauses().count() > 0).toList();
    html.element("h3", "Pauses", "id", subject.id() + "-pauses").line();
    if (paused.isEmpty()) {
      html.element("p", "No pause was recorded.");
      return;
    }
    percentiles(rows).addTo(html);
    double least = paused.stream().mapToDouble(r -> r.pauses().shortestSeconds()).min().orElse(0);
    double most = paused.stream().mapToDouble(r -> r.pauses().longestSeconds()).max().orElse(0);
    double[] bounds = HistogramChart.bounds(least, most);
    List<Strip> strips = paused.stream().map(row -> strip(subject, row, bounds)).toList();
    String title = "Pauses by length, " + subject.comparison().title();
    new Panel(
            subject.id() + "-pauses-chart",
            title,
            sentence(rows, paused),
            new HistogramChart("length of a pause", bounds, strips),
            data(paused, bounds, title))
        .addTo(html);
  }

  private static HtmlTable percentiles(List<Row> rows) {
    double most = rows.stream().mapToDouble(r -> r.pauses().longestSeconds()).max().orElse(0);
    Unit unit = Units.time(most);
    HtmlTable table = new HtmlTable("Pauses of the runs that count, together").texts("collector");
    table.figures("pauses", "");
    for (double percentile : PERCENTILES) {
      table.figures("p" + Units.digits(percentile), unit.name());
    }
    table.figures("longest", unit.name());
    for (Row row : rows) {
      PauseHistogram pauses = row.pauses();
      List<String> cells =
          new ArrayList<>(List.of(row.collector(), Units.count((double) pauses.count())));
      for (double percentile : PERCENTILES) {
        cells.add(
            Column.hasPercentile(pauses.count(), percentile)
                ? unit.text(pauses.percentileSeconds(percentile))
                : "–");
      }
      cells.add(pauses.count() == 0 ? "–" : unit.text(pauses.longestSeconds()));
      table.row(cells);
    }
    return table;
  }

  private static Strip strip(Subject subject, Row row, double[] bounds) {
    PauseHistogram pauses = row.pauses();
    List<Long> counts = Arrays.stream(pauses.counts(bounds)).boxed().toList();
    long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
    String note = Words.count(pauses.count(), "pause") + ", highest bar " + most;
    List<Mark> marks = new ArrayList<>();
    for (double percentile : new double[] {50, 99}) {
      if (Column.hasPercentile(pauses.count(), percentile)) {
        marks.add(new Mark(pauses.percentileSeconds(percentile), "p" + Units.digits(percentile)));
      }
    }
    return new Strip(row.collector(), subject.style(row.collector()), note, counts, marks);
  }

  private static String sentence(List<Row> rows, List<Row> paused) {
    List<Found> longest =
        paused.stream().map(r -> new Found(r.collector(), r.pauses().longestSeconds())).toList();
    String extremes =
        Words.extremes(
            longest,
            "paused for up to",
            "for up to",
            "the longest",
            "the shortest",
            Quantity.TIME::text);
    List<String> never =
        rows.stream().filter(row -> !paused.contains(row)).map(Row::collector).toList();
    String rest = never.isEmpty() ? "" : " " + Words.and(never) + " never paused.";
    return extremes
        + "."
        + rest
        + " Each row has a scale of its own; half of its pauses are left of p50, 99 of 100 left of"
        + " p99.";
  }

  private static HtmlTable data(List<Row> paused, double[] bounds, String title) {
    HtmlTable table = new HtmlTable(title).texts("collector");
    table.figures("from", "").figures("to", "").figures("pauses", "");
    for (Row row : paused) {
      long[] counts = row.pauses().counts(bounds);
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] > 0) {
          String from = Quantity.TIME.text(bounds[i]);
          String to = Quantity.TIME.text(bounds[i + 1]);
          table.row(List.of(row.collector(), from, to, Long.toString(counts[i])));
        }
      }
    }
    return table;
  }
}
