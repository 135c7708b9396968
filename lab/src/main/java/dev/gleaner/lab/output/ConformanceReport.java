package dev.gleaner.lab.output;

import dev.gleaner.kit.LikelyCause;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

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

    /** Returns the rules that failed, the most telling first, by what is probably wrong. */
    public List<String> groups() {
      List<String> lines = new ArrayList<>();
      LikelyCause.group(verdicts())
          .forEach((cause, verdicts) -> {
            lines.add(
                "likely cause: %s, %s; look at %s"
                    .formatted(cause, rules(verdicts.size()), cause.look()));
            verdicts.forEach(each -> lines.add("  " + each.rule()));
          });
      return lines;
    }

    /** Returns a line for each reason why rules were skipped, and one with the numbers of all. */
    public List<String> summary() {
      Map<String, Integer> skipped = new TreeMap<>();
      for (Verdict verdict : verdicts()) {
        if (verdict.status() == Status.SKIPPED) {
          skipped.merge(verdict.message(), 1, Integer::sum);
        }
      }
      List<String> lines = new ArrayList<>();
      skipped.forEach((why, n) -> lines.add("skipped " + rules(n) + ": " + why));
      lines.add(
          "%s: %d passed, %d failed, %d skipped"
              .formatted(name, count(Status.PASSED), count(Status.FAILED), count(Status.SKIPPED)));
      return lines;
    }

    private static String rules(int n) {
      return n + (n == 1 ? " rule" : " rules");
    }

    private List<Verdict> verdicts() {
      return items.stream().map(Item::verdict).toList();
    }

    /** Returns the likely cause of each failure. */
    private Map<Verdict, LikelyCause> causes() {
      Map<Verdict, LikelyCause> causes = new HashMap<>();
      LikelyCause.group(verdicts())
          .forEach((cause, verdicts) -> verdicts.forEach(each -> causes.put(each, cause)));
      return causes;
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
      Map<Verdict, LikelyCause> causes = collector.causes();
      for (Item item : collector.items) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("collector", collector.name);
        fields.put("rule", item.rule.name());
        fields.put("text", item.rule.text());
        fields.put("status", item.status());
        fields.put("message", item.verdict.message());
        fields.put("cause", Objects.toString(causes.get(item.verdict), ""));
        array.add(fields);
      }
    }
    return ComparisonJson.write(array);
  }

  /** Returns a header and a line for each rule. */
  public List<String> csv() {
    List<String> lines = new ArrayList<>(List.of("collector,rule,text,status,message,cause"));
    for (Collector collector : collectors) {
      Map<Verdict, LikelyCause> causes = collector.causes();
      for (Item item : collector.items) {
        lines.add(
            ComparisonCsv.line(
                List.of(
                    collector.name,
                    item.rule.name(),
                    item.rule.text(),
                    item.status(),
                    item.verdict.message(),
                    Objects.toString(causes.get(item.verdict), ""))));
      }
    }
    return lines;
  }
}
