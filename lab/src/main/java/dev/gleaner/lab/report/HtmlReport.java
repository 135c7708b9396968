package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.workload.Workload;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The report of comparisons: one HTML file with nothing outside of it, neither script nor font nor
 * picture. For every workload the table, memory over time, pauses, time against memory, and the
 * settings in force.
 */
public final class HtmlReport {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH);

  private HtmlReport() {}

  /**
   * Returns the text of the file.
   *
   * @param comparisons at least one
   * @param when the runs ended
   */
  public static String of(List<Comparison> comparisons, ZonedDateTime when) {
    List<Subject> subjects = Subject.of(comparisons);
    Markup html = new Markup();
    html.open("html", "lang", "en").open("head").empty("meta", "charset", "utf-8");
    html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.empty("meta", "name", "color-scheme", "content", "light dark").line();
    html.element("title", title(subjects) + " – Gleaner").line();
    html.style(Panel.css() + Panel.resource(HtmlReport.class, "report.css"));
    html.close().line().open("body");
    html.element("a", "Skip to the results", "class", "skip", "href", "#results").line();
    header(html, subjects, when);
    html.open("main", "id", "results", "tabindex", -1).line();
    subjects.forEach(subject -> workload(html, subject));
    html.close().close().close();
    return "<!doctype html>\n" + html + "\n";
  }

  private static String title(List<Subject> subjects) {
    return subjects.size() == 1
        ? subjects.getFirst().comparison().workload() + " under " + contenders(subjects)
        : Words.count(subjects.size(), "workload") + " under " + contenders(subjects);
  }

  private static String contenders(List<Subject> subjects) {
    return Words.and(subjects.getFirst().contenders());
  }

  private static void header(Markup html, List<Subject> subjects, ZonedDateTime when) {
    Machine machine = subjects.getFirst().comparison().machine();
    html.open("header").element("p", "Gleaner, comparison of collectors", "class", "kicker");
    html.element("h1", title(subjects)).line().open("dl");
    fact(html, "Machine", machine.cpu() + ", " + Words.count(machine.cores(), "core"));
    fact(html, "Memory", Units.bytes((double) machine.memoryBytes()));
    fact(html, "System", machine.os());
    fact(html, "JVM", machine.jvm());
    html.open("div").element("dt", "Finished").open("dd");
    ZonedDateTime utc = when.withZoneSameInstant(ZoneOffset.UTC);
    String machineReadable = utc.format(DateTimeFormatter.ISO_INSTANT);
    html.element("time", utc.format(DATE), "datetime", machineReadable).close().close();
    html.close().line();
    if (subjects.size() > 1) {
      html.open("nav", "aria-label", "Workloads").open("ul");
      for (Subject subject : subjects) {
        html.open("li").element("a", subject.comparison().title(), "href", "#" + subject.id());
        html.close();
      }
      html.close().close();
    }
    html.close().line();
  }

  private static void workload(Markup html, Subject subject) {
    Comparison comparison = subject.comparison();
    String heading = subject.id() + "-heading";
    html.open("section", "id", subject.id(), "aria-labelledby", heading);
    html.element("h2", comparison.workload(), "id", heading).line().open("dl");
    for (Map.Entry<String, String> parameter : comparison.parameters().entrySet()) {
      fact(html, "Parameter " + parameter.getKey(), parameter.getValue());
    }
    fact(html, "Seed", Integer.toString(Workload.SEED));
    Set<Long> checksums = comparison.checksums();
    if (checksums.size() <= 1) {
      fact(html, "Checksum", checksums.isEmpty() ? "none" : checksums.iterator().next().toString());
    }
    fact(html, "Collectors", versions(comparison.rows()));
    html.close().line();
    if (checksums.size() > 1) {
      html.open("p", "class", "alarm").element("strong", "The checksums differ.");
      html.text(" One of these collectors lost something:");
      for (Row row : comparison.rows()) {
        html.text(" " + row.collector() + " " + row.shown().checksum() + ";");
      }
      html.close();
    }
    TableSection.addTo(html, subject);
    MemorySection.addTo(html, subject);
    PauseSection.addTo(html, subject);
    TradeSection.addTo(html, subject);
    SettingsSection.addTo(html, subject);
    html.close().line();
  }

  private static String versions(List<Row> rows) {
    return String.join(
        ", ", rows.stream().map(row -> row.collector() + " " + row.version()).toList());
  }

  private static void fact(Markup html, String term, String description) {
    html.open("div").element("dt", term).element("dd", description).close().line();
  }
}
