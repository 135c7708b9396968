package dev.gleaner.lab.output;

import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What came of running scenarios, as lines, JSON or CSV. */
public final class ScenarioReport {
  private final boolean namesCollectors;
  private final List<Item> items = new ArrayList<>();

  /** A scenario under a collector. */
  public record Item(String collector, ScenarioResult result) {
    private @Nullable Integer line() {
      return result.line() == 0 ? null : result.line();
    }

    /** Returns whether it failed. */
    public boolean failed() {
      return result.status() == Status.FAILED;
    }

    private String status() {
      return result.status().name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Makes a report.
   *
   * @param namesCollectors whether the lines need to say which collector it was
   */
  public ScenarioReport(boolean namesCollectors) {
    this.namesCollectors = namesCollectors;
  }

  /** Adds a result. */
  public void add(Item item) {
    items.add(item);
  }

  /** Returns how many ended so. */
  public long count(Status status) {
    return items.stream().filter(item -> item.result.status() == status).count();
  }

  /** Returns the line of one result. */
  public String line(Item item) {
    ScenarioResult result = item.result;
    String line =
        switch (result.status()) {
          case PASSED -> "ok " + result.file();
          case SKIPPED -> "skipped " + result.file() + ": " + result.message();
          case FAILED ->
              "FAILED %s:%d: %s".formatted(result.file(), result.line(), result.message());
        };
    return namesCollectors ? line + " (" + item.collector + ")" : line;
  }

  /** Returns the last line. */
  public String summary() {
    return "%d passed, %d failed, %d skipped"
        .formatted(count(Status.PASSED), count(Status.FAILED), count(Status.SKIPPED));
  }

  /** Returns an array with an object for each result; what has no line has null there. */
  public String json() {
    List<Map<String, @Nullable Object>> array = new ArrayList<>();
    for (Item item : items) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("file", item.result.file());
      fields.put("collector", item.collector);
      fields.put("status", item.status());
      fields.put("line", item.line());
      fields.put("message", item.result.message());
      array.add(fields);
    }
    return ComparisonJson.write(array);
  }

  /** Returns a header and a line for each result. */
  public List<String> csv() {
    List<String> lines = new ArrayList<>(List.of("file,collector,status,line,message"));
    for (Item item : items) {
      Integer line = item.line();
      lines.add(
          ComparisonCsv.line(
              List.of(
                  item.result.file(),
                  item.collector,
                  item.status(),
                  line == null ? "" : line.toString(),
                  item.result.message())));
    }
    return lines;
  }
}
