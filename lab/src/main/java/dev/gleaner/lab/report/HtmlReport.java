package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonVerdict;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Words;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The report of comparisons: one HTML file with nothing outside of it, neither script nor font nor
 * picture. For every workload the table, memory over time, pauses, time against memory, and the
 * settings in force.
 */
public final class HtmlReport {
  private HtmlReport() {}

  /**
   * Returns the text of the file.
   *
   * @param comparisons at least one
   * @param when the runs ended
   */
  public static String of(List<Comparison> comparisons, ZonedDateTime when) {
    List<Subject> subjects = Subject.of(comparisons);
    return new HtmlPage(title(subjects), "Gleaner, comparison of collectors")
        .of(
            subjects.getFirst().comparison().machine(),
            when,
            header -> workloads(header, subjects),
            main -> subjects.forEach(subject -> workload(main, subject)));
  }

  private static String title(List<Subject> subjects) {
    return subjects.size() == 1
        ? subjects.getFirst().comparison().workload() + " under " + contenders(subjects)
        : Words.count(subjects.size(), "workload") + " under " + contenders(subjects);
  }

  private static String contenders(List<Subject> subjects) {
    return Words.and(subjects.getFirst().contenders());
  }

  private static void workloads(Markup html, List<Subject> subjects) {
    if (subjects.size() > 1) {
      html.open("nav", "aria-label", "Workloads").open("ul");
      for (Subject subject : subjects) {
        html.open("li").element("a", subject.comparison().title(), "href", "#" + subject.id());
        html.close();
      }
      html.close().close();
    }
  }

  private static void workload(Markup html, Subject subject) {
    Comparison comparison = subject.comparison();
    String heading = subject.id() + "-heading";
    html.open("section", "id", subject.id(), "aria-labelledby", heading);
    html.element("h2", comparison.workload(), "id", heading).line().open("dl");
    HtmlPage.parameters(html, comparison.parameters());
    Set<Long> checksums = comparison.checksums();
    if (checksums.size() <= 1) {
      HtmlPage.fact(
          html, "Checksum", checksums.isEmpty() ? "none" : checksums.iterator().next().toString());
    }
    HtmlPage.fact(html, "Collectors", versions(comparison.rows()));
    html.close().line();
    if (checksums.size() > 1) {
      html.open("p", "class", "alarm").element("strong", "The checksums differ.");
      html.text(" One of these collectors lost something:");
      for (Row row : comparison.rows()) {
        html.text(" " + row.collector() + " " + row.shown().checksum() + ";");
      }
      html.close();
    }
    String verdict = ComparisonVerdict.of(comparison).text();
    if (!verdict.isEmpty()) {
      html.open("div", "class", "verdict").element("p", verdict);
      String ratios = ComparisonVerdict.of(comparison).ratios();
      if (!ratios.isEmpty()) {
        html.element("p", ratios, "class", "kicker");
      }
      html.close().line();
    }
    TableSection.addTo(html, subject);
    MemorySection.addTo(html, subject);
    PauseSection.addTo(html, subject);
    TradeSection.addTo(html, subject);
    SettingsSection.addTo(html, subject);
    html.close().line();
  }

  /** Names each version once, after those that have it. */
  private static String versions(List<Row> rows) {
    Map<String, List<String>> named = new LinkedHashMap<>();
    for (Row row : rows) {
      named.computeIfAbsent(row.version(), version -> new ArrayList<>()).add(row.collector());
    }
    List<String> parts = new ArrayList<>();
    named.forEach((version, names) -> parts.add(Words.and(names) + " " + version));
    return String.join("; ", parts);
  }
}
