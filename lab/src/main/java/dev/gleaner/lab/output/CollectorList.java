package dev.gleaner.lab.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The list of installed collectors. */
public final class CollectorList {
  private static final List<String> COLUMNS =
      List.of("collector", "version", "capabilities", "jar");

  /** Indexes of the columns that may go where there is no room. */
  private static final List<Integer> LEAST_FIRST = List.of(3, 1);

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

  /**
   * Returns the list, without a line end.
   *
   * @param width the most characters of a line of the table; columns that it does not hold are left
   *     out, and named
   */
  public static String text(List<Item> items, Format format, int width) {
    return switch (format) {
      case TABLE -> table(items, width);
      case CSV -> csv(items);
      case JSON -> json(items);
    };
  }

  private static String table(List<Item> items, int width) {
    if (items.isEmpty()) {
      return "No collector is installed.";
    }
    TextTable table =
        new TextTable()
            .column(COLUMNS.get(0))
            .textColumn(COLUMNS.get(1))
            .textColumn(COLUMNS.get(2))
            .textColumn(COLUMNS.get(3));
    for (Item item : items) {
      table.row(
          List.of(
              item.name(),
              item.version(),
              String.join(" ", item.capabilities()),
              fileName(item.location())));
    }
    List<Integer> gone = table.fit(width, LEAST_FIRST);
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    if (!gone.isEmpty()) {
      String names = Words.and(gone.stream().map(COLUMNS::get).toList());
      lines.add("Not shown for want of width: " + names + ".");
      lines.add("");
    }
    TextTable about = new TextTable().column("").textColumn("");
    int indent = items.stream().mapToInt(item -> item.name().length()).max().orElse(0) + 2;
    for (Item item : items) {
      String name = item.name();
      for (String line : Words.wrapped(item.description(), width - indent)) {
        about.row(List.of(name, line));
        name = "";
      }
    }
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
