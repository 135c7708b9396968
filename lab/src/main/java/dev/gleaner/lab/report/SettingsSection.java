package dev.gleaner.lab.report;

import dev.gleaner.lab.chart.Markup;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Setting;
import java.util.List;
import java.util.stream.Collectors;

/** What was in force: of each collector what differs from the defaults, then all, as HOCON. */
final class SettingsSection {
  private SettingsSection() {}

  static void addTo(Markup html, Subject subject) {
    html.element("h3", "Settings in force", "id", subject.id() + "-settings").line();
    for (Row row : subject.comparison().rows()) {
      List<Setting> changed = row.inForce().stream().filter(Setting::changed).toList();
      html.open("section", "class", "settings").element("h4", row.collector());
      if (!row.inForce().isEmpty()) {
        html.element("p", changed.isEmpty() ? "All are the defaults." : "Not the defaults:");
      }
      if (!changed.isEmpty()) {
        html.element("pre", lines(changed, true), "tabindex", 0).line();
      }
      if (!row.inForce().isEmpty()) {
        html.open("details").element("summary", "All settings of " + row.collector());
        html.element("pre", lines(row.inForce(), false), "tabindex", 0).close().line();
      }
      if (row.settings().get("jvm") instanceof List<?> flags) {
        html.open("details").element("summary", "Options of the JVM");
        String text = flags.stream().map(String::valueOf).collect(Collectors.joining("\n"));
        html.element("pre", text, "tabindex", 0).close();
      }
      html.close().line();
    }
  }

  private static String lines(List<Setting> settings, boolean why) {
    return settings.stream()
        .map(setting -> setting.path() + " = " + setting.value() + (why ? remark(setting) : ""))
        .collect(Collectors.joining("\n"));
  }

  private static String remark(Setting setting) {
    String usual = setting.usual().isEmpty() ? "no default" : "default " + setting.usual();
    return "  # " + setting.origin() + "; " + usual;
  }
}
