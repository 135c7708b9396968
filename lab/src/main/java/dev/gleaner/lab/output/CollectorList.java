package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The list of installed collectors. */
public final class CollectorList {
  private CollectorList() {}

  /**
   * A collector.
   *
   * @param location the jar, or folder, that it comes from
   */
  public record Item(
      String name,
      String version,
      String location,
      List<String> capabilities,
      String description) {}

  /** Returns the list, without a line end. */
  public static String text(List<Item> items, Format format) {
    return switch (format) {
      case TABLE -> table(items);
      case CSV -> csv(items);
      case JSON -> json(items);
    };
  }

  private static String table(List<Item> items) {
    if (items.isEmpty()) {
      return "No collector is installed.";
    }
    TextTable table =
        new TextTable()
            .column("collector")
            .textColumn("version")
            .textColumn("capabilities")
            .textColumn("jar");
    for (Item item : items) {
      table.row(
          List.of(
              item.name(),
              item.version(),
              String.join(" ", item.capabilities()),
              fileName(item.location())));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    TextTable about = new TextTable().column("").textColumn("");
    items.forEach(item -> about.row(List.of(item.name(), item.description())));
    about.lines().stream().skip(1).forEach(lines::add);
    return String.join("\n", lines);
  }

  private static String fileName(String location) {
    return location.substring(location.lastIndexOf('/') + 1);
  }

  private static String csv(List<Item> items) {
    List<String> lines = new ArrayList<>();
    lines.add("collector,version,location,capabilities,description");
    for (Item item : items) {
      lines.add(
          ComparisonCsv.line(
              List.of(
                  item.name(),
                  item.version(),
                  item.location(),
                  String.join(" ", item.capabilities()),
                  item.description())));
    }
    return String.join("\n", lines);
  }

  private static String json(List<Item> items) {
    List<Map<String, Object>> collectors = new ArrayList<>();
    for (Item item : items) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("collector", item.name());
      fields.put("version", item.version());
      fields.put("location", item.location());
      fields.put("capabilities", item.capabilities());
      fields.put("description", item.description());
      collectors.add(fields);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", 1);
    document.put("collectors", collectors);
    return ComparisonJson.write(document);
  }
}
