package dev.gleaner.lab.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Comparisons as JSON, schema 1: one document for one workload, an array of them for several. A
 * figure that there is none of is null.
 */
public final class ComparisonJson {
  static final int SCHEMA = 1;
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ComparisonJson() {}

  /** Returns the text. */
  public static String text(List<Comparison> comparisons) {
    List<Map<String, Object>> documents =
        comparisons.stream().map(ComparisonJson::document).toList();
    return write(documents.size() == 1 ? documents.getFirst() : documents);
  }

  /** Returns maps, lists, texts, numbers, booleans and nulls as JSON. */
  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, Object> document(Comparison comparison) {
    Map<String, Object> workload = new LinkedHashMap<>();
    workload.put("name", comparison.workload());
    Map<String, Object> parameters = new LinkedHashMap<>();
    comparison.parameters().forEach((key, value) -> parameters.put(key, numberOrText(value)));
    workload.put("parameters", parameters);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("schema", SCHEMA);
    document.put("workload", workload);
    document.put("machine", machine(comparison.machine()));
    document.put("verdict", ComparisonVerdict.of(comparison).text());
    document.put("results", comparison.rows().stream().map(ComparisonJson::result).toList());
    return document;
  }

  static Map<String, Object> machine(Machine machine) {
    Map<String, Object> on = new LinkedHashMap<>();
    on.put("cpu", machine.cpu());
    on.put("cores", machine.cores());
    on.put("memory_bytes", machine.memoryBytes());
    on.put("os", machine.os());
    on.put("jvm", machine.jvm());
    return on;
  }

  private static Object numberOrText(String value) {
    String digits = value.replace("_", "");
    return digits.matches("\\d{1,18}") ? (Object) Long.valueOf(digits) : value;
  }

  private static Map<String, Object> result(Row row) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("collector", row.collector());
    result.put("version", row.version());
    result.put("settings", row.settings());
    List<Map<String, @Nullable Object>> runs = new ArrayList<>();
    row.runs().forEach(run -> runs.add(run(run)));
    result.put("runs", runs);
    return result;
  }

  static Map<String, @Nullable Object> run(RunResult run) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    Map<String, @Nullable Object> pauses = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      Object value = number(figure, run.figure(figure));
      String pauseKey = figure.pauseKey();
      if (pauseKey == null) {
        fields.put(figure.key(), value);
      } else {
        fields.put("pause_seconds", pauses);
        pauses.put(pauseKey, value);
      }
    }
    fields.put("checksum", run.checksum());
    fields.put("status", run.status());
    fields.put("extras", run.extras());
    return fields;
  }

  private static @Nullable Object number(Figure figure, @Nullable Double value) {
    if (value == null || !figure.whole()) {
      return value;
    }
    return Math.round(value);
  }
}
