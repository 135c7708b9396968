package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.chart.Panel;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.workload.Workload;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** What all reports have in common: head, machine, a way past it for those who use a keyboard. */
record HtmlPage(String title, String kicker) {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH);

  /**
   * Returns the text of the file.
   *
   * @param when the runs ended
   * @param more writes what follows in the header
   * @param main writes the results
   */
  String of(Machine machine, ZonedDateTime when, Consumer<Markup> more, Consumer<Markup> main) {
    Markup html = new Markup();
    html.open("html", "lang", "en").open("head").empty("meta", "charset", "utf-8");
    html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.empty("meta", "name", "color-scheme", "content", "light dark").line();
    html.element("title", title + " – Gleaner").line();
    html.style(Panel.css() + Panel.resource(HtmlPage.class, "report.css"));
    html.close().line().open("body");
    html.element("a", "Skip to the results", "class", "skip", "href", "#results").line();
    html.open("header").element("p", kicker, "class", "kicker");
    html.element("h1", title).line().open("dl");
    facts(html, machine, when);
    html.close().line();
    more.accept(html);
    html.close().line();
    html.open("main", "id", "results", "tabindex", -1).line();
    main.accept(html);
    html.close().close().close();
    return "<!doctype html>\n" + html + "\n";
  }

  private static void facts(Markup html, Machine machine, ZonedDateTime when) {
    fact(html, "Machine", machine.cpu() + ", " + Words.count(machine.cores(), "core"));
    fact(html, "Memory", Units.bytes((double) machine.memoryBytes()));
    fact(html, "System", machine.os());
    fact(html, "JVM", machine.jvm());
    html.open("div").element("dt", "Finished").open("dd");
    ZonedDateTime utc = when.withZoneSameInstant(ZoneOffset.UTC);
    String machineReadable = utc.format(DateTimeFormatter.ISO_INSTANT);
    html.element("time", utc.format(DATE), "datetime", machineReadable).close().close();
  }

  /** Writes what a workload was given, and where its random numbers start. */
  static void parameters(Markup html, Map<String, String> parameters) {
    parameters.forEach((key, value) -> fact(html, "Parameter " + key, value));
    if (!parameters.containsKey("seed")) {
      fact(html, "Seed", Integer.toString(Workload.SEED));
    }
  }

  static void fact(Markup html, String term, String description) {
    html.open("div").element("dt", term).element("dd", description).close().line();
  }
}
