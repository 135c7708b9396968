package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.HtmlTable;
import dev.gleaner.lab.chart.LineChart;
import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.chart.Series;
import dev.gleaner.lab.chart.StripChart;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.Timeline.Sample;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.output.Units.Unit;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.output.Words.Found;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Memory in use over time, the run that the table shows of every contender: on one chart, unless
 * some need so much more than the others that these would lie flat at its bottom. Then there are
 * two, parted at the widest gap.
 */
final class MemorySection {
  private static final double GAP = 4;

  private MemorySection() {}

  static void addTo(Markup html, Subject subject) {
    List<Row> measured =
        subject.comparison().rows().stream()
            .filter(row -> !samples(row).isEmpty())
            .sorted(Comparator.comparingDouble(MemorySection::peak))
            .toList();
    html.element("h3", "Memory over time", "id", subject.id() + "-memory").line();
    if (measured.isEmpty()) {
      html.element("p", "Nothing was recorded: this workload opens no heap that is measured.");
      return;
    }
    int split = split(measured);
    if (split == 0) {
      panels(html, subject, subject.id() + "-memory-chart", measured, "");
      return;
    }
    List<Row> low = measured.subList(0, split);
    List<Row> high = measured.subList(split, measured.size());
    String apart =
        " In a chart below, to a scale that suits far more memory: %s."
            .formatted(Words.and(high.stream().map(Row::collector).toList()));
    panels(html, subject, subject.id() + "-memory-chart", low, apart);
    panels(html, subject, subject.id() + "-memory-chart-2", high, "");
  }

  /** Returns where the rows, by peak, are parted; 0 if they are not. */
  private static int split(List<Row> rows) {
    int split = 0;
    double widest = GAP;
    for (int i = 1; i < rows.size(); i++) {
      double ratio = peak(rows.get(i)) / Math.max(1, peak(rows.get(i - 1)));
      if (ratio > widest) {
        widest = ratio;
        split = i;
      }
    }
    return split;
  }

  private static List<Sample> samples(Row row) {
    return row.shown().recording().memory().samples();
  }

  private static double peak(Row row) {
    double sampled = samples(row).stream().mapToLong(Sample::bytes).max().orElse(0);
    return row.shown().figures().getOrDefault(Figure.PEAK_USED_BYTES, sampled);
  }

  /** Adds all lines in one plot, and below it a strip for each, as lines hide each other. */
  private static void panels(
      Markup html, Subject subject, String id, List<Row> byPeak, String more) {
    List<Row> rows = new ArrayList<>(subject.comparison().rows());
    rows.retainAll(byPeak);
    List<Series> lines =
        rows.stream()
            .map(row ->
                new Series(
                    row.collector(),
                    subject.style(row.collector()),
                    samples(row).stream()
                        .map(s -> new Series.Point(s.seconds(), s.bytes()))
                        .toList()))
            .toList();
    LineChart chart =
        new LineChart(
            "time since the work began", Quantity.TIME, "memory in use", Quantity.BYTES, lines);
    String title = "Memory in use over time, " + subject.comparison().title();
    String sentence = sentence(rows) + more;
    Panel panel = new Panel(id, title, sentence, chart, data(rows, title));
    lines.forEach(line -> panel.key(line.name(), line.style()));
    panel.addTo(html);
    if (lines.size() > 1) {
      StripChart strips =
          new StripChart("time since the work began", Quantity.TIME, Quantity.BYTES, lines);
      new Panel(id + "-each", title + ", one by one", "The same, one by one.", strips, null)
          .addTo(html);
    }
  }

  private static String sentence(List<Row> rows) {
    List<Found> peaks = rows.stream().map(row -> new Found(row.collector(), peak(row))).toList();
    return Words.extremes(peaks, "peaked at", "at", "the most", "the least", Quantity.BYTES::text)
        + ".";
  }

  private static HtmlTable data(List<Row> rows, String title) {
    double most = rows.stream().mapToDouble(MemorySection::peak).max().orElse(0);
    Unit size = Units.size(most);
    HtmlTable table =
        new HtmlTable(title).texts("collector").figures("time", "ms").figures("used", size.name());
    for (Row row : rows) {
      for (Sample sample : samples(row)) {
        String at = String.format(Locale.ROOT, "%.2f", sample.nanos() / 1e6);
        table.row(List.of(row.collector(), at, size.text((double) sample.bytes())));
      }
    }
    return table;
  }
}
