package dev.gleaner.lab.output;

import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collectors with the rules they were checked against, as text, JSON or CSV. */
public final class ConformanceReport {
  private final List<Collector> collectors = new ArrayList<>();

  /** One rule under one collector. */
  public record Item(Rule rule, Verdict verdict) {
    private String status() {
      return verdict.status().name().toLowerCase(Locale.ROOT);
    }

    /** Returns {@code FAILED}, the rule and what it says, and what was found. */
    public String line() {
      String text = rule.text().isEmpty() ? "" : " (" + rule.text() + ")";
      return "FAILED " + rule.name() + text + ": " + verdict.message();
    }
  }

  /** One collector's part. */
  public static final class Collector {
    private final String name;
    private final List<Item> items = new ArrayList<>();

    private Collector(String name) {
      this.name = name;
    }

    public String name() {
      return name;
    }

    /** Adds what came of a rule. */
    public Item add(Rule rule, Verdict verdict) {
      Item item = new Item(rule, verdict);
      items.add(item);
      return item;
    }

    /** Returns how many ended so. */
    public long count(Status status) {
      return items.stream().filter(item -> item.verdict.status() == status).count();
    }

    /** Returns the last line. */
    public String summary() {
      return "%s: %d passed, %d failed, %d skipped"
          .formatted(name, count(Status.PASSED), count(Status.FAILED), count(Status.SKIPPED));
    }
  }

  /** Begins a collector's part. */
  public Collector collector(String name) {
    Collector collector = new Collector(name);
    collectors.add(collector);
    return collector;
  }

  /** Returns an array with an object for each rule. */
  public String json() {
    List<Map<String, Object>> array = new ArrayList<>();
    for (Collector collector : collectors) {
      for (Item item : collector.items) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("collector", collector.name);
        fields.put("rule", item.rule.name());
        fields.put("text", item.rule.text());
        fields.put("status", item.status());
        fields.put("message", item.verdict.message());
        array.add(fields);
      }
    }
    return ComparisonJson.write(array);
  }

  /** Returns a header and a line for each rule. */
  public List<String> csv() {
    List<String> lines = new ArrayList<>(List.of("collector,rule,text,status,message"));
    for (Collector collector : collectors) {
      for (Item item : collector.items) {
        lines.add(
            ComparisonCsv.line(
                List.of(
                    collector.name,
                    item.rule.name(),
                    item.rule.text(),
                    item.status(),
                    item.verdict.message())));
      }
    }
    return lines;
  }
}
